import { expect, it } from "vitest";
import { assignedBy, type Event, principalOf } from "../../../src/api/http/event.ts";

const USER = "arn:aws:sts::123456789012:assumed-role/provisioner/i-1";

const from = (authorizer: object | undefined) =>
  ({ requestContext: { ...(authorizer && { authorizer }) } }) as Event;

it("is the ARN that IAM authorized", () => {
  expect(principalOf(from({ iam: { userArn: USER } }))).toBe(USER);
  expect(assignedBy(from({ iam: { userArn: USER } }))).toEqual({ assignedBy: USER });
});

it("is nobody on a laptop", () => {
  expect(principalOf(from(undefined))).toBeUndefined();
  expect(assignedBy(from(undefined))).toEqual({});
});
