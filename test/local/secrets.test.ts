import { afterAll, beforeAll, expect, it } from "vitest";
import { type Started, start } from "./process.ts";

/** A text that no log may contain, whichever field a caller puts it into. */
const SECRET = "hunter2-AKIAIOSFODNN7EXAMPLE";

const HEADERS = {
  authorization: `AWS4-HMAC-SHA256 Credential=${SECRET}`,
  "x-amz-security-token": SECRET,
  cookie: SECRET,
  "content-type": "application/json",
};

let plat: Started;

beforeAll(async () => {
  plat = await start(["--port", "0", "--dynamodb"], { LOG_LEVEL: "DEBUG" });
});

afterAll(async () => {
  plat.process.kill("SIGKILL");
  await plat.ended;
});

const send = (method: string, path: string, body?: string, headers = {}) =>
  fetch(`${plat.url}${path}`, {
    method,
    headers: { ...HEADERS, ...headers },
    ...(body !== undefined && { body }),
  });

it("what requests say in headers, bodies, names and queries stands in no log, whatever becomes of them", async () => {
  const pool = JSON.stringify({ cidr: "10.0.0.0/24" });
  const disabled = JSON.stringify({ cidr: "10.0.0.0/24", disabled: true });
  const attributes = { password: SECRET };
  const assign = { host: "n1", ipv4: 1, attributes };
  const key = { "idempotency-key": SECRET };
  const sent = [
    await send("PUT", "/v1/pools/main", pool),
    await send("POST", "/v1/assign", JSON.stringify(assign), key),
    await send("POST", "/v1/assign", JSON.stringify({ ...assign, ipv4: 2 }), key),
    await send("POST", "/v1/assign", JSON.stringify({ ...assign, [SECRET]: SECRET })),
    await send("POST", "/v1/assign", `{"password": "${SECRET}`),
    await send("POST", "/v1/assign", "", { "content-type": SECRET }),
    await send("PUT", "/v1/pools/main", disabled, { "if-match": `"${SECRET}"` }),
    await send("PUT", "/v1/pools/main", `password: *${SECRET}`, { "content-type": "text/yaml" }),
    await send("GET", `/v1/handles/${SECRET}?cursor=${SECRET}`),
    await send("GET", `/v1/pools?${SECRET}=${SECRET}`),
    await send("GET", `/${SECRET}`),
  ];
  expect(sent.map(({ status }) => status)).toEqual([
    201, 200, 422, 400, 400, 415, 412, 400, 400, 400, 404,
  ]);
  plat.process.kill("SIGTERM");
  const { lines, errors } = await plat.ended;
  const logged = lines.filter((line) => line.includes('"route"'));
  // All but the last, which matched no route and so called no function.
  expect(logged).toHaveLength(sent.length - 1);
  expect([...lines, errors].join("\n")).not.toContain(SECRET);
});
