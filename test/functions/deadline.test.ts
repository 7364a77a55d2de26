import "../local/silent.ts";
import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { intakeOver } from "../../functions/intake.ts";
import { REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { UnavailableError } from "../../src/base/outcome.ts";
import { nodeEvent } from "../node-objects.ts";
import { history, newSpace, spaceWithPool, startAnew, table, wired } from "./plat.ts";

/** The time of a call in milliseconds: far more than DynamoDB takes, and less than the timeout of its client. */
const CALL_MS = 1_900;

let nowMs = 0;

beforeEach(() => {
  nowMs = 0;
  startAnew({ elapsedMs: () => nowMs });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes each further call take `CALL_MS`. If `lost` is true, a write gets no answer. */
function slow({ lost = false } = {}) {
  const write = table.write.bind(table);
  const query = table.query.bind(table);
  const get = table.get.bind(table);
  vi.spyOn(table, "write").mockImplementation(async (change) => {
    nowMs += CALL_MS;
    const result = await write(change);
    return lost ? { outcome: "unknown" } : result;
  });
  vi.spyOn(table, "get").mockImplementation(async (key) => {
    nowMs += CALL_MS;
    return get(key);
  });
  vi.spyOn(table, "query").mockImplementation(async (pk, options) => {
    nowMs += CALL_MS;
    return query(pk, options);
  });
}

it("an assign whose writes are not answered is, in time, and says under which handle it may hold something", async () => {
  const plat = await spaceWithPool();
  slow({ lost: true });
  const { status, body } = await plat.assign({ host: "n1", ipv4: 1 });
  expect(status).toBe(503);
  expect(body).toMatchObject({ code: "unavailable", retryable: true });
  expect(body.detail).toContain("ran out of time");
  expect(nowMs).toBeLessThan(REQUEST_MS_MAX);

  vi.restoreAllMocks();
  const released = await plat.release({ handle: body.handle });
  expect(released.status).toBe(200);
  const { body: counted } = await plat.get("/v1/pools/main/utilization");
  expect(counted).toMatchObject({ inUse: 0 });
});

it("the same request under its key gets what it was not told of, and no second address", async () => {
  const plat = await spaceWithPool();
  slow({ lost: true });
  expect((await plat.assign({ host: "n1", ipv4: 1, handle: "h" }, "once")).status).toBe(503);
  vi.restoreAllMocks();
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  const again = await plat.assign({ host: "n1", ipv4: 1, handle: "h" }, "once");
  expect(again.status).toBe(200);
  const { body: counted } = await plat.get("/v1/pools/main/utilization");
  expect(counted).toMatchObject({ inUse: 1 });
});

it("a release of many is answered in time, and carried on by the same request", async () => {
  // One block has them all, so that no release begins with a read.
  const plat = await spaceWithPool({ cidr: "10.0.0.0/20", blockSize: 26, cooldownSeconds: 0 });
  const addresses: object[] = [];
  for (let n = 0; n < 4; n++) {
    const { body } = await plat.assign({ host: "n1", ipv4: 12 });
    for (const { address, generation } of body.addresses) addresses.push({ address, generation });
  }
  slow();
  const { status, body } = await plat.release({ addresses });
  expect({ status, complete: body.complete }).toEqual({ status: 200, complete: false });
  expect(body.results).toContainEqual(expect.objectContaining({ status: "unfinished" }));
  vi.restoreAllMocks();
  const again = await plat.release({ addresses });
  expect({ status: again.status, complete: again.body.complete }).toEqual({
    status: 200,
    complete: true,
  });
  expect(again.body.results).toHaveLength(addresses.length);
  expect((await plat.get("/v1/pools/main/utilization")).body).toMatchObject({ inUse: 0 });
});

it("a list is answered in time as well", async () => {
  const plat = await spaceWithPool();
  const scan = table.query.bind(table);
  vi.spyOn(table, "query").mockImplementation(async (pk, options) => {
    nowMs += REQUEST_MS_MAX;
    return scan(pk, options);
  });
  const { status, body } = await plat.get("/v1/blocks", { pool: "main" });
  expect({ status, code: body.code }).toEqual({ status: 503, code: "unavailable" });
});

it.each(["/v1/events", "/v1/addresses/10.0.0.1/history", "/v1/history/handles/web"])(
  "%s is answered in time as well, if the history answers nothing",
  async (path) => {
    vi.spyOn(history, "query").mockImplementation(async () => {
      nowMs += CALL_MS;
      throw new UnavailableError("the history gives no answer");
    });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { status, body } = await newSpace().get(path, path === "/v1/events" ? { since } : {});
    expect({ status, code: body.code }).toEqual({ status: 503, code: "unavailable" });
    expect(nowMs).toBeLessThan(REQUEST_MS_MAX);
  },
);

it("a batch of the queue ends in time, however many spaces it has, and what it does not reach comes again", async () => {
  const Records = ["a", "b", "c"].map((space, n) => ({
    messageId: `${n}`,
    body: JSON.stringify(nodeEvent("ADDED", "n1")),
    messageAttributes: { space: { dataType: "String", stringValue: space } },
  }));
  slow();
  const { batchItemFailures } = await intakeOver(wired())({ Records } as unknown as SQSEvent);
  expect(batchItemFailures.length).toBeGreaterThan(0);
  expect(nowMs).toBeLessThan(REQUEST_MS_MAX);
});
