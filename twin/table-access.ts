import type { DeployedTable, Role } from "./deployment.ts";
import { type AuthorizationRequest, decide } from "./iam.ts";

/** The body of a DynamoDB call; an attribute is `{"S": "text"}`. */
interface TableCall {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
}

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns DynamoDB's message if a role may not make a call; nothing if it may.
 *
 * @param operation such as `GetItem`
 */
export function whyDenied(
  role: Role,
  session: string,
  table: DeployedTable,
  operation: string,
  call: TableCall,
): string | undefined {
  const authorizationRequest = authorizationRequestOf(table, operation, call);
  const decision = decide(role.statements, authorizationRequest);
  if (decision === "allowed") return undefined;
  const user = role.arn.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/");
  const because =
    decision === "denied"
      ? "with an explicit deny in an identity-based policy"
      : `because no identity-based policy allows the ${authorizationRequest.action} action`;
  return `User: ${user}/${session} is not authorized to perform: ${authorizationRequest.action} on resource: ${authorizationRequest.resource} ${because}`;
}

/**
 * Returns the authorization request of a call
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html).
 */
function authorizationRequestOf(
  table: DeployedTable,
  operation: string,
  call: TableCall,
): AuthorizationRequest {
  const { TableName = "", IndexName } = call;
  const tableArn = TableName.startsWith("arn:")
    ? TableName
    : table.arn.replace(/[^/]*$/, () => TableName);
  const key = leadingKey(table, call);
  return {
    action: `dynamodb:${operation}`,
    resource: IndexName === undefined ? tableArn : `${tableArn}/index/${IndexName}`,
    ...(key !== undefined && { context: { "dynamodb:LeadingKeys": [key] } }),
  };
}

/** Returns the partition key that a call names; nothing for a scan. */
function leadingKey(table: DeployedTable, call: TableCall): string | undefined {
  const { IndexName, Key, Item, KeyConditionExpression } = call;
  const index = table.GlobalSecondaryIndexes.find((one) => one.IndexName === IndexName);
  const { KeySchema } = index ?? table;
  const name = KeySchema.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";
  const value =
    KeyConditionExpression === undefined ? (Key ?? Item)?.[name] : comparedWith(name, call);
  return value === undefined ? undefined : String(Object.values(value)[0]);
}

/** Returns the value with which a condition on keys compares an attribute: `#pk = :pk AND …`. */
function comparedWith(attribute: string, call: TableCall) {
  const { KeyConditionExpression = "", ExpressionAttributeNames, ExpressionAttributeValues } = call;
  for (const [, name = "", value = ""] of KeyConditionExpression.matchAll(
    /([#\w.-]+)\s*=\s*(:\w+)/g,
  ))
    if ((ExpressionAttributeNames?.[name] ?? name) === attribute)
      return ExpressionAttributeValues?.[value];
  return undefined;
}
