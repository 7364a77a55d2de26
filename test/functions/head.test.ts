import { expect, it } from "vitest";
import { methodsOf, ROUTES } from "../../src/contract/routes.ts";
import { eventOf } from "../api/event.ts";
import { handlers, spaceWithPool } from "./plat.ts";

/** The maximum number of routes of an API without a raised quota (HTTP API quotas). */
const ROUTES_MAX = 300;

it("HEAD is there wherever GET is, in so few routes that an API has room for them", () => {
  const methods = ROUTES.flatMap(methodsOf);
  const count = (method: string) => methods.filter((one) => one === method).length;
  expect(count("HEAD")).toBe(count("GET"));
  expect(count("HEAD")).toBeGreaterThan(0);
  expect(methods.length).toBeLessThan(ROUTES_MAX);
});

it("a HEAD is answered as a GET, without the body", async () => {
  const plat = await spaceWithPool();
  for (const path of ["/v1/pools/main", "/v1/pools", "/v1/config", "/v1/pools/none"]) {
    const { status, headers } = await plat.call("GET", path);
    const head = await plat.call("HEAD", path);
    expect({ path, ...head }).toEqual({ path, status, headers, body: null });
  }
  const { headers } = await plat.get("/v1/pools/main");
  const known = { headers: { "if-none-match": String(headers.etag) } };
  expect((await plat.call("HEAD", "/v1/pools/main", known)).status).toBe(304);
});

it("a HEAD of a path that has no GET is rejected without a body, with what the path takes", async () => {
  const { statusCode, headers, body } = await handlers().openapi(eventOf("HEAD", "/v1/assign"));
  expect({ statusCode, allow: headers?.allow, body }).toEqual({
    statusCode: 405,
    allow: "POST",
    body: undefined,
  });
});

it("a HEAD of the root of NetBox's dialect is answered", async () => {
  const answer = await handlers().openapi(eventOf("HEAD", "/api/"));
  expect(answer).toMatchObject({ statusCode: 200 });
  expect(answer.body).toBeUndefined();
});

it("every answer has the id of its request in a header, a rejection too", async () => {
  const plat = await spaceWithPool();
  const answers = [
    await plat.get("/v1/pools/main"),
    await plat.get("/v1/pools/none"),
    await plat.put("/v1/pools/main", "{"),
    await plat.assign({ host: "n1", ipv4: 1 }),
  ];
  expect(answers.map(({ headers }) => headers["x-request-id"])).toEqual(
    Array.from(answers, () => "request-1"),
  );
  expect(answers[3]?.body.requestId).toBe("request-1");
});
