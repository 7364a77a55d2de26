import { describe, expect, it } from "vitest";
import { decide, type Statement } from "../../twin/iam.ts";

const TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table/plat";
const READ: Statement = { Effect: "Allow", Action: "dynamodb:GetItem", Resource: TABLE };

const get = { action: "dynamodb:GetItem", resource: TABLE };

describe("a policy", () => {
  it("allows what a statement names, and nothing else", () => {
    expect(decide([READ], get)).toBe("allowed");
    expect(decide([READ], { ...get, action: "dynamodb:PutItem" })).toBe("not allowed");
    expect(decide([READ], { ...get, resource: `${TABLE}/index/due` })).toBe("not allowed");
    expect(decide([], get)).toBe("not allowed");
  });

  it("denies what one statement denies, whatever others allow", () => {
    const deny: Statement = { Effect: "Deny", Action: "*", Resource: `${TABLE}*` };
    expect(decide([READ, deny], get)).toBe("denied");
    expect(decide([deny, READ], get)).toBe("denied");
  });

  it.each([
    ["dynamodb:*", TABLE, "allowed"],
    ["DynamoDB:getitem", TABLE, "allowed"],
    ["dynamodb:Get????", TABLE, "allowed"],
    ["dynamodb:Get???", TABLE, "not allowed"],
    ["*", "*", "allowed"],
    ["dynamodb:GetItem", "arn:aws:dynamodb:*:123456789012:table/*", "allowed"],
    ["dynamodb:GetItem", "arn:aws:dynamodb:*:table/plat", "not allowed"],
    ["dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:123456789012:table/PLAT", "not allowed"],
    ["dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:123456789012:table.plat", "not allowed"],
  ])("with %s on %s: a read is %s", (Action, Resource, decision) => {
    expect(decide([{ Effect: "Allow", Action, Resource }], get)).toBe(decision);
  });

  it("takes a list for any of its members, and NotAction and NotResource for all but theirs", () => {
    const any: Statement = { ...READ, Action: ["dynamodb:Query", "dynamodb:GetItem"] };
    expect(decide([any], get)).toBe("allowed");
    const allBut = (NotAction: string): Statement => ({
      Effect: "Allow",
      NotAction,
      NotResource: `${TABLE}/index/*`,
    });
    expect(decide([allBut("dynamodb:PutItem")], get)).toBe("allowed");
    expect(decide([allBut("dynamodb:Get*")], get)).toBe("not allowed");
    const atIndex = { ...get, resource: `${TABLE}/index/due` };
    expect(decide([allBut("dynamodb:PutItem")], atIndex)).toBe("not allowed");
  });
});

describe("a condition", () => {
  const under = (operator: string, wanted: string | string[], keys?: string | string[]) =>
    decide([{ ...READ, Condition: { [operator]: { "dynamodb:LeadingKeys": wanted } } }], {
      ...get,
      ...(keys !== undefined && { context: { "dynamodb:leadingkeys": keys } }),
    });

  it.each([
    ["StringEquals", "a", "a", "allowed"],
    ["StringEquals", ["b", "a"], "a", "allowed"],
    ["StringEquals", "a*", "ab", "not allowed"],
    ["StringEquals", "a", undefined, "not allowed"],
    ["StringEqualsIfExists", "a", undefined, "allowed"],
    ["StringNotEquals", "a", "b", "allowed"],
    ["StringNotEquals", ["a", "b"], "b", "not allowed"],
    ["StringNotEquals", "a", undefined, "allowed"],
    ["StringNotLike", "a*", "ab", "not allowed"],
    ["StringLike", "cfg#*", "cfg#default", "allowed"],
    ["StringLike", "cfg#*", "pool#default", "not allowed"],
    ["StringEqualsIgnoreCase", "A", "a", "allowed"],
    ["ArnLike", "arn:aws:s3:::*", "arn:aws:s3:::a:b", "allowed"],
    ["ArnNotEquals", "arn:aws:s3:::*", "arn:aws:s3:::a", "not allowed"],
    ["Bool", "true", "True", "allowed"],
    ["Null", "true", undefined, "allowed"],
    ["Null", "true", "a", "not allowed"],
    ["ForAllValues:StringLike", ["a*", "b*"], ["a1", "b1"], "allowed"],
    ["ForAllValues:StringLike", ["a*"], ["a1", "b1"], "not allowed"],
    // IAM warns of this: a request without such a key passes.
    ["ForAllValues:StringLike", ["a*"], undefined, "allowed"],
    ["ForAnyValue:StringLike", ["a*"], ["a1", "b1"], "allowed"],
    ["ForAnyValue:StringLike", ["a*"], undefined, "not allowed"],
  ])("%s %j with %j: %s", (operator, wanted, keys, decision) => {
    expect(under(operator, wanted, keys)).toBe(decision);
  });

  it("that is not known here is an error, not a decision", () => {
    expect(() => under("NumericLessThan", "7", "3")).toThrow("NumericLessThan");
    expect(() => under("StringEquals", "a", "a")).not.toThrow();
    expect(() => decide([{ ...READ, Resource: `${TABLE}/$\{aws:username}` }], get)).toThrow(
      "policy variable",
    );
  });
});
