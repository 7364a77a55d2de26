import { createHash } from "node:crypto";
import type { APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { logger } from "../../src/api/http/logger.ts";
import { authorizer } from "../../src/authorize/authorize.ts";

const TOKEN = "a-token-0123456789";
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");
const CI = { name: "ci", roles: ["caller@blue", "reader@*"] };
const SECRET = JSON.stringify({ [hashOf(TOKEN)]: CI });
const NO = { isAuthorized: false };

const asking = (authorization?: string) =>
  ({
    headers: { ...(authorization !== undefined && { authorization }) },
  }) as unknown as APIGatewayRequestAuthorizerEventV2;

const handlerOf = (secret: string) =>
  authorizer(
    async () => secret,
    () => 0,
  );

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the Lambda authorizer", () => {
  it("names the holder of a token and its roles", async () => {
    expect(await handlerOf(SECRET)(asking(`Bearer ${TOKEN}`))).toEqual({
      isAuthorized: true,
      context: { principal: "token:ci", roles: "caller@blue reader@*" },
    });
    expect(await handlerOf(SECRET)(asking(`bearer  ${TOKEN}`))).toMatchObject({
      isAuthorized: true,
    });
  });

  it("takes the token under the scheme of NetBox's clients too", async () => {
    for (const scheme of ["Token", "token"])
      expect(await handlerOf(SECRET)(asking(`${scheme} ${TOKEN}`))).toMatchObject({
        isAuthorized: true,
      });
  });

  it("names the tenant of a token that has one", async () => {
    const secret = JSON.stringify({ [hashOf(TOKEN)]: { ...CI, tenant: "red" } });
    expect(await handlerOf(secret)(asking(`Bearer ${TOKEN}`))).toMatchObject({
      context: { principal: "token:ci", tenant: "red" },
    });
    for (const tenant of ["", "a\nb", 7]) {
      const malformed = JSON.stringify({ [hashOf(TOKEN)]: { ...CI, tenant } });
      expect(await handlerOf(malformed)(asking(`Bearer ${TOKEN}`))).toEqual(NO);
    }
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN} x`,
    `Bearer ${TOKEN}x`,
    `Bearer ${hashOf(TOKEN)}`,
    "Bearer __proto__",
  ])("does not authorize %j", async (authorization) => {
    expect(await handlerOf(SECRET)(asking(authorization))).toEqual(NO);
  });

  it("reads the secret once in a minute, and not for a request without a token", async () => {
    let nowMs = 0;
    const read = vi.fn(async () => SECRET);
    const handler = authorizer(read, () => nowMs);
    await handler(asking());
    expect(read).toHaveBeenCalledTimes(0);
    await handler(asking(`Bearer ${TOKEN}`));
    nowMs = 59_999;
    await handler(asking("Bearer other"));
    expect(read).toHaveBeenCalledTimes(1);
    nowMs = 60_000;
    await handler(asking(`Bearer ${TOKEN}`));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("authorizes nobody whose token was removed, a minute later", async () => {
    let nowMs = 0;
    const secrets = [SECRET, "{}"];
    const handler = authorizer(
      async () => secrets.shift() ?? "",
      () => nowMs,
    );
    expect(await handler(asking(`Bearer ${TOKEN}`))).toMatchObject({ isAuthorized: true });
    nowMs = 60_000;
    expect(await handler(asking(`Bearer ${TOKEN}`))).toEqual(NO);
  });

  it("ignores malformed entries, and logs their positions only", async () => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue();
    const handler = handlerOf(
      JSON.stringify({
        [TOKEN]: CI,
        [hashOf("b")]: { name: "b" },
        [hashOf("c")]: { name: "", roles: [] },
        [hashOf("d")]: { name: "d", roles: ["reader"], more: 1 },
        [hashOf(TOKEN)]: CI,
      }),
    );
    expect(await handler(asking(`Bearer ${TOKEN}`))).toMatchObject({ isAuthorized: true });
    for (const token of ["b", "c", "d"])
      expect(await handler(asking(`Bearer ${token}`))).toEqual(NO);
    expect(warn.mock.calls).toEqual([
      ["malformed entries in the secret", { malformed: [1, 2, 3, 4] }],
    ]);
  });

  it.each(["", "[]", "null", "1", `{"${TOKEN}`])(
    "fails for the secret %j, and repeats nothing of it",
    async (secret) => {
      await expect(handlerOf(secret)(asking(`Bearer ${TOKEN}`))).rejects.toThrow(
        /^the secret with the tokens must be a JSON object$/,
      );
    },
  );

  it("reads a broken secret again for the next request", async () => {
    const secrets = ["{", SECRET];
    const handler = authorizer(
      async () => secrets.shift() ?? "",
      () => 0,
    );
    await expect(handler(asking(`Bearer ${TOKEN}`))).rejects.toThrow();
    expect(await handler(asking(`Bearer ${TOKEN}`))).toMatchObject({ isAuthorized: true });
  });
});

describe("the Lambda authorizer of a REST API", () => {
  const CALL = "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/live/GET/v1/handles/a/b";
  const EVERY_CALL = "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/live/*";
  const askedBy = (headers: Record<string, string>) => ({ headers, methodArn: CALL });
  const statement = (Effect: string) => ({
    Version: "2012-10-17",
    Statement: [{ Effect, Action: "execute-api:Invoke", Resource: EVERY_CALL }],
  });

  it("allows the holder of a token every call of the stage, and names it with its roles", async () => {
    const secret = JSON.stringify({ [hashOf(TOKEN)]: { ...CI, tenant: "red" } });
    for (const name of ["Authorization", "authorization"])
      expect(await handlerOf(secret)(askedBy({ [name]: `Bearer ${TOKEN}` }))).toEqual({
        principalId: "token:ci",
        policyDocument: statement("Allow"),
        context: { principal: "token:ci", roles: "caller@blue reader@*", tenant: "red" },
      });
  });

  it("denies an unknown token, and a request without one, every call", async () => {
    for (const headers of [{}, { Authorization: "Bearer other" }] as Record<string, string>[])
      expect(await handlerOf(SECRET)(askedBy(headers))).toEqual({
        principalId: "unknown",
        policyDocument: statement("Deny"),
      });
  });
});
