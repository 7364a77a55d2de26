import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UnavailableError } from "../../src/base/outcome.ts";
import { call, failWrites, spaceWithPool, startAnew, table } from "./plat.ts";

// What the database does not answer is asked again after pauses.
beforeEach(() => startAnew({ sleep: async () => {} }));
afterEach(() => {
  vi.restoreAllMocks();
});

it("a function that runs is healthy, and ready once it can read its table", async () => {
  expect(await call("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(await call("GET", "/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
});

it("a function whose table does not answer is healthy, but not ready", async () => {
  vi.spyOn(table, "get").mockRejectedValue(new Error("no table"));
  expect((await call("GET", "/healthz")).status).toBe(200);
  expect(await call("GET", "/readyz")).toMatchObject({
    status: 503,
    body: { code: "unavailable" },
    headers: { "retry-after": "2" },
  });
});

it("a request that meets a silent database is told to come again", async () => {
  vi.spyOn(table, "query").mockRejectedValue(new UnavailableError("no answer"));
  const reply = await call("GET", "/v1/spaces/silent/pools");
  expect(reply).toMatchObject({ status: 503, body: { code: "unavailable", retryable: true } });
});

it.each([{ handle: "pod-7" }, {}])(
  "an assign of %j that a silent database cuts short names the handle to give it back by",
  async (named) => {
    const plat = await spaceWithPool();
    failWrites("take-slots", new UnavailableError("no answer"));
    const cut = await plat.assign({ host: "n1", ipv4: 17, ...named });
    expect(cut).toMatchObject({ status: 503, body: { code: "unavailable", ...named } });
    expect(cut.body.handle).toMatch(/^[\w-]+$/);
    vi.restoreAllMocks();
    expect((await plat.delete(`/v1/handles/${cut.body.handle}`)).status).toBe(200);
    expect((await plat.assign({ host: "n1", ipv4: 256 })).body.addresses).toHaveLength(256);
  },
);

it("a request that fails for a reason nobody thought of gives nothing of it away", async () => {
  vi.spyOn(table, "query").mockRejectedValue(new TypeError("the secret reason"));
  const reply = await call("GET", "/v1/spaces/broken/pools");
  expect(reply).toMatchObject({ status: 500, body: { code: "internal_error" } });
  expect(JSON.stringify(reply)).not.toContain("secret");
});
