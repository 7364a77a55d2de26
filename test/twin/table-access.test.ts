import { expect, it } from "vitest";
import type { DeployedTable, Role } from "../../twin/deployment.ts";
import type { Statement } from "../../twin/iam.ts";
import { whyDenied } from "../../twin/table-access.ts";

const TABLE: DeployedTable = {
  name: "things",
  arn: "arn:aws:dynamodb:eu-central-1:123456789012:table/things",
  AttributeDefinitions: [],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "due",
      KeySchema: [{ AttributeName: "dueShard", KeyType: "HASH" }],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
  ],
};

const why = (statements: readonly Statement[], operation: string, call: object) => {
  const role: Role = { name: "r", arn: "arn:aws:iam::123456789012:role/r", statements };
  return whyDenied(role, "f", TABLE, operation, { TableName: "things", ...call });
};
const KEY = { pk: { S: "cfg#default" }, sk: { S: "-" } };
const READ: Statement = { Effect: "Allow", Action: "dynamodb:GetItem", Resource: TABLE.arn };

it("lets a role do what its policies allow, and says of all else why not, in the words of DynamoDB", () => {
  expect(why([READ], "GetItem", { Key: KEY })).toBeUndefined();
  expect(why([READ], "PutItem", { Item: KEY })).toBe(
    "User: arn:aws:sts::123456789012:assumed-role/r/f is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-central-1:123456789012:table/things because no identity-based policy allows the dynamodb:PutItem action",
  );
  const deny: Statement = { Effect: "Deny", Action: "*", Resource: "*" };
  expect(why([READ, deny], "GetItem", { Key: KEY })).toMatch(/with an explicit deny/);
  expect(why([READ], "GetItem", { Key: KEY, TableName: "others" })).toMatch(/table\/others/);
  expect(why([READ], "GetItem", { Key: KEY, TableName: TABLE.arn })).toBeUndefined();
});

it("an index has rights of its own", () => {
  const query: Statement = { Effect: "Allow", Action: "dynamodb:Query", Resource: TABLE.arn };
  const call = { IndexName: "due", KeyConditionExpression: "dueShard = :s" };
  expect(why([query], "Query", call)).toMatch(/table\/things\/index\/due/);
  expect(why([{ ...query, Resource: `${TABLE.arn}/index/due` }], "Query", call)).toBeUndefined();
});

it.each([
  ["GetItem", { Key: KEY }],
  ["DeleteItem", { Key: KEY }],
  ["UpdateItem", { Key: KEY, ConditionExpression: "#pk = :x" }],
  ["PutItem", { Item: { ...KEY, text: { S: "other" } } }],
  [
    "Query",
    {
      KeyConditionExpression: "#k = :k AND begins_with(sk, :s)",
      ExpressionAttributeNames: { "#k": "pk" },
      ExpressionAttributeValues: { ":k": { S: "cfg#default" }, ":s": { S: "other" } },
    },
  ],
  [
    "Query",
    {
      KeyConditionExpression: "sk = :s AND pk = :k",
      ExpressionAttributeValues: { ":k": { S: "cfg#default" }, ":s": { S: "other" } },
    },
  ],
])("%s is held to the leading keys of its policy", (operation, call) => {
  const only = (prefix: string): Statement => ({
    Effect: "Allow",
    Action: "dynamodb:*",
    Resource: TABLE.arn,
    Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [prefix] } },
  });
  expect(why([only("cfg#*")], operation, call)).toBeUndefined();
  expect(why([only("other*")], operation, call)).toMatch(/not authorized/);
});
