import { describe, expect, it } from "vitest";
import { BATCH_ADDRESSES_MAX, BATCH_ITEMS_MAX } from "../../src/base/limits.ts";
import { newSpace } from "./plat.ts";

const assign = (handle: string, more: object = {}) => ({
  assign: { host: "n1", ipv4: 1, handle, ...more },
  idempotencyKey: `key of ${handle}`,
});

async function withPool() {
  const plat = newSpace();
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
  const send = (requests: unknown, headers = {}) =>
    plat.call("POST", "/v1/batch", { body: { requests }, headers });
  return { plat, send };
}

describe("POST /v1/batch", () => {
  it("answers each request as if it had come alone", async () => {
    const { send, plat } = await withPool();
    const { status, body } = await send([assign("a"), assign("b", { ipv4: 2 })]);
    expect(status).toBe(200);
    expect(body.complete).toBe(true);
    expect(body.results).toMatchObject([
      { index: 0, status: 200, assigned: { handle: "a", requested: 1 } },
      { index: 1, status: 200, assigned: { handle: "b", requested: 2 } },
    ]);
    const [{ address }] = body.results[0].assigned.addresses;
    const again = await plat.assign({ host: "n1", ipv4: 1, handle: "a" }, "key of a");
    expect(again.body.addresses[0].address).toBe(address);
  });

  it("releases addresses beside its assigns", async () => {
    const { send, plat } = await withPool();
    const [told] = (await send([assign("a")])).body.results;
    const { address, generation } = told.assigned.addresses[0];
    const { body } = await send([
      { release: { addresses: [{ address, generation }] } },
      assign("b"),
    ]);
    expect(body.results).toMatchObject([
      { status: 200, released: { complete: true, results: [{ address, status: "released" }] } },
      { status: 200, assigned: { handle: "b" } },
    ]);
    expect((await plat.get(`/v1/addresses/${address}`)).body.state).not.toBe("assigned");
  });

  it("rejects a request that is wrong, and serves the others", async () => {
    const { send } = await withPool();
    const { body } = await send([
      assign("a", { ipv4: "one" }),
      assign("b"),
      "nonsense",
      assign("c", { pools: ["nowhere"] }),
    ]);
    expect(body.results).toMatchObject([
      { status: 400, problem: { code: "invalid_request", fields: [{ field: "ipv4" }] } },
      { status: 200 },
      { status: 400 },
      { status: 409, problem: { code: "no_pool_available" } },
    ]);
    expect(body.complete).toBe(true);
  });

  it("is not complete while a request may be answered otherwise later", async () => {
    const { send } = await withPool();
    const [told] = (await send([assign("a")])).body.results;
    const { address, generation } = told.assigned.addresses[0];
    await send([{ release: { addresses: [{ address, generation }] } }]);
    const { body } = await send([assign("b", { ipv4: 0, address })]);
    expect(body.results).toMatchObject([{ status: 409, problem: { code: "address_cooling" } }]);
    expect(body.complete).toBe(false);
  });

  it.each([
    ["without a key", { assign: { host: "n1", ipv4: 1, handle: "a" } }, "idempotencyKey"],
    ["as a dry run", assign("a", { dryRun: true }), "dryRun"],
    ["beside a release", { ...assign("a"), release: { addresses: [] } }, "assign"],
    ["that is missing", {}, "assign"],
  ])("takes no assign %s", async (_, request, field) => {
    const { send } = await withPool();
    const { body } = await send([request]);
    expect(body.results[0]).toMatchObject({ status: 400, problem: { fields: [{ field }] } });
  });

  it.each([
    ["of a handle", { handle: "a" }, "addresses"],
    ["of a host", { host: "n1" }, "addresses"],
    ["of no address", { addresses: [] }, "addresses"],
  ])("takes no release %s", async (_, release, field) => {
    const { send } = await withPool();
    const { body } = await send([{ release }]);
    expect(body.results[0]).toMatchObject({ status: 400, problem: { fields: [{ field }] } });
  });

  it("rejects a request that is nested too deeply, and serves the others", async () => {
    const { plat } = await withPool();
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const { body } = await plat.call("POST", "/v1/batch", {
      body: `{"requests": [{"assign": {"host": ${deep}}}, ${JSON.stringify(assign("b"))}]}`,
    });
    expect(body.results).toMatchObject([
      { status: 400, problem: { fields: [{ field: "assign" }] } },
      { status: 200, assigned: { handle: "b" } },
    ]);
  });

  it("takes no key of a release", async () => {
    const { send } = await withPool();
    const release = { addresses: [{ address: "10.0.0.1", handle: "a" }] };
    const { body } = await send([{ release, idempotencyKey: "k" }]);
    expect(body.results[0]).toMatchObject({ problem: { fields: [{ field: "idempotencyKey" }] } });
  });

  it("takes an instance of a workload, whose uid is its key", async () => {
    const { send } = await withPool();
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "a" };
    const { body } = await send([{ assign: { host: "n1", ipv4: 1, namespace: "shop", workload } }]);
    expect(body.results[0].status).toBe(200);
  });

  it.each([
    ["no request", []],
    ["too many requests", Array.from({ length: BATCH_ITEMS_MAX + 1 }, (_, n) => assign(`${n}`))],
    ["too many addresses", Array.from({ length: 9 }, (_, n) => assign(`${n}`, { ipv4: 256 }))],
  ])("is rejected as a whole with %s", async (_, requests) => {
    const { send, plat } = await withPool();
    const { status, body } = await send(requests);
    expect(status).toBe(400);
    expect(body.fields).toMatchObject([{ field: "requests" }]);
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
    expect(9 * 256).toBeGreaterThan(BATCH_ADDRESSES_MAX);
  });

  it("is rejected with a key of the whole", async () => {
    const { send } = await withPool();
    const { status, body } = await send([assign("a")], { "idempotency-key": "all" });
    expect(status).toBe(400);
    expect(body.fields).toMatchObject([{ field: "Idempotency-Key" }]);
  });

  describe("in NDJSON", () => {
    const LINES = { "content-type": "application/x-ndjson" };
    const sendLines = async (lines: readonly string[], headers = {}) => {
      const { plat } = await withPool();
      const body = lines.join("\n");
      return plat.call("POST", "/v1/batch", { body, headers: { ...LINES, ...headers } });
    };
    const line = (handle: string) => JSON.stringify(assign(handle));

    it("has a request a line, and names the line and the key of each result", async () => {
      const { body } = await sendLines([line("a"), "", line("b"), ""]);
      expect(body.complete).toBe(true);
      expect(body.results).toMatchObject([
        { index: 0, line: 1, idempotencyKey: "key of a", status: 200, assigned: { handle: "a" } },
        { index: 1, line: 3, idempotencyKey: "key of b", status: 200, assigned: { handle: "b" } },
      ]);
    });

    it("rejects a line that is no JSON by its number, and serves the others", async () => {
      const { body } = await sendLines([line("a"), '{"assign"', line("b")]);
      expect(body.results).toMatchObject([
        { line: 1, status: 200 },
        { line: 2, status: 400, problem: { fields: [{ field: "line", value: 2 }] } },
        { line: 3, status: 200 },
      ]);
      expect(body.results[1].problem.detail).toMatch(/^line 2 is not JSON: /);
    });

    it("answers a line for each request, in their order", async () => {
      const { status, headers, body } = await sendLines([line("a"), "7", line("b")], {
        accept: "application/json;q=0.5, application/x-ndjson",
      });
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("application/x-ndjson");
      expect(body).toMatchObject([
        { index: 0, line: 1, status: 200, assigned: { handle: "a" } },
        { index: 1, line: 2, status: 400 },
        { index: 2, line: 3, status: 200, assigned: { handle: "b" } },
      ]);
    });

    it("is the answer to a batch in JSON too, which has no lines", async () => {
      const { send } = await withPool();
      const { body } = await send([assign("a")], { accept: "application/x-ndjson" });
      expect(body).toMatchObject([{ index: 0, idempotencyKey: "key of a", status: 200 }]);
      expect(body[0].line).toBeUndefined();
    });

    it("is no answer for one who gives it the weight 0", async () => {
      const { send } = await withPool();
      const accept = "application/json, application/x-ndjson; q=0.0";
      expect((await send([assign("a")], { accept })).body).toMatchObject({ complete: true });
    });

    it.each([
      ["no request", ["", " "]],
      ["too many requests", new Array(BATCH_ITEMS_MAX + 1).fill("{")],
    ])("is rejected as a whole with %s", async (_, lines) => {
      const { status, headers, body } = await sendLines(lines, { accept: "application/x-ndjson" });
      expect(status).toBe(400);
      expect(headers["content-type"]).toBe("application/problem+json");
      expect(body.fields).toMatchObject([{ field: "requests" }]);
    });
  });
});
