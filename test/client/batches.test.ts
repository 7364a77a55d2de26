import { describe, expect, it } from "vitest";
import { PROBLEMS, type ProblemCode } from "../../src/api/schema/problem.ts";
import { BATCH_ADDRESSES_MAX, BATCH_ITEMS_MAX, BODY_BYTES_MAX } from "../../src/base/limits.ts";
import { BATCHES_AT_ONCE_MAX } from "../../src/client/batches.ts";
import {
  ApiError,
  type BatchedRequest,
  type BatchResult,
  clientOver,
  type Request,
} from "../../src/client/index.ts";
import { isRepeatable } from "../../src/client/repeatable.ts";

const assign = (handle: string, more: object = {}): BatchedRequest => ({
  assign: { host: "n1", ipv4: 1, handle, ...more },
});
const release = (...addresses: readonly string[]): BatchedRequest => ({
  release: { addresses: addresses.map((address) => ({ address, generation: "g" })) },
});
const byHandle = (address: string): BatchedRequest => ({
  release: { addresses: [{ address, handle: "h" }] },
});
const many = (count: number, one = assign("a")): BatchedRequest[] => new Array(count).fill(one);

/** The result of a request, before it is known at which place of the batch it was. */
type Told = Partial<BatchResult>;

const problem = (code: ProblemCode): Told => {
  const { status, title, retryable = false, retryAfterSeconds } = PROBLEMS[code];
  const said = { type: code, title, status, detail: title, code, retryable, requestId: "r" };
  return { status, problem: { ...said, ...(retryAfterSeconds && { retryAfterSeconds }) } };
};

/** Makes a client of an API that answers batch after batch, and records them. */
function api(
  answer: (request: BatchedRequest, batch: number) => Told | Promise<Told> = () => ({
    status: 200,
  }),
) {
  const batches: (readonly BatchedRequest[])[] = [];
  const waitsMs: number[] = [];
  let nowMs = 0;
  const call = async <Body>({ body }: Request) => {
    const { requests } = body as { requests: readonly BatchedRequest[] };
    const batch = batches.push(requests) - 1;
    const told = await Promise.all(requests.map((request) => answer(request, batch)));
    const results = told.map((each, index) => ({ index, ...each }));
    return {
      status: 200,
      etag: undefined,
      body: { requestId: "r", results, complete: true } as Body,
    };
  };
  const plat = clientOver(call, "default", {
    now: () => nowMs,
    sleep: async (ms) => {
      waitsMs.push(ms);
      nowMs += ms;
    },
    retryMs: 30_000,
  });
  const all = (requests: readonly BatchedRequest[]) => allOf(plat.inBatches(requests));
  return { batches, waitsMs, plat, all };
}

async function allOf(results: AsyncIterable<BatchResult>): Promise<BatchResult[]> {
  const all: BatchResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

describe("requests in batches", () => {
  it("are cut by their number, and each has its result in their order", async () => {
    const { batches, all } = api();
    const results = await all(many(2 * BATCH_ITEMS_MAX + 1));
    expect(batches.map(({ length }) => length)).toEqual([BATCH_ITEMS_MAX, BATCH_ITEMS_MAX, 1]);
    expect(results.map(({ index }) => index)).toEqual([...results.keys()]);
    expect(results).toHaveLength(2 * BATCH_ITEMS_MAX + 1);
  });

  it.each([
    ["addresses of assigns", assign("a", { ipv4: 200, ipv6: 56 })],
    [
      "addresses of interfaces",
      {
        assign: {
          host: "n1",
          interfaces: [
            { name: "a", ipv4: 128 },
            { name: "b", ipv6: 128 },
          ],
        },
      },
    ],
    ["addresses of releases", release(...new Array(256).fill("10.0.0.1"))],
  ])("are cut by the %s", async (_, one) => {
    const { batches, all } = api();
    await all(many(9, one));
    expect(batches.map(({ length }) => length)).toEqual([BATCH_ADDRESSES_MAX / 256, 1]);
  });

  it("are cut by the addresses that they name, or ask for", async () => {
    const named = assign("a", { ipv4: undefined, addresses: ["10.0.0.1", "fd00::1"] });
    const single = assign("a", { ipv4: undefined, address: "10.0.0.1" });
    const { batches, all } = api();
    const most = BATCH_ADDRESSES_MAX - 300 - 2 * 400;
    await all([...many(300, single), ...many(400, named), assign("a", { ipv4: most + 1 })]);
    await all([...many(300, single), ...many(400, named), assign("a", { ipv4: most })]);
    expect(batches.map(({ length }) => length)).toEqual([700, 1, 701]);
  });

  it("are cut by the bytes of the body, and one that is too large is sent alone", async () => {
    const { batches, all } = api();
    const large = assign("é".repeat(BODY_BYTES_MAX / 4));
    await all([large, large, assign("é".repeat(BODY_BYTES_MAX))]);
    expect(batches.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it("are under way in a few batches at once", async () => {
    let underWay = 0;
    const seen: number[] = [];
    const { all } = api(async ({ assign }) => {
      if (assign?.handle !== "first") return { status: 200 };
      seen.push(++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return { status: 200 };
    });
    const batch = [assign("first"), ...many(BATCH_ITEMS_MAX - 1)];
    await all([...batch, ...batch, ...batch, ...batch, ...batch, ...batch]);
    expect(Math.max(...seen)).toBe(BATCHES_AT_ONCE_MAX);
  });

  it("have the results of a first try when the second gets no answer", async () => {
    const { plat } = api(({ assign }, batch) => {
      if (batch > 0) throw new TypeError("fetch failed");
      return assign?.handle === "late" ? problem("unavailable") : { status: 200 };
    });
    const got: number[] = [];
    const all = async () => {
      for await (const { index } of plat.inBatches([assign("a"), assign("late"), assign("b")]))
        got.push(index);
    };
    await expect(all()).rejects.toThrow("fetch failed");
    expect(got).toEqual([0, 1, 2]);
  });

  it("are sent again without those that are done, after the wait that the answers name", async () => {
    const { batches, waitsMs, all } = api(({ assign }, batch) =>
      assign?.handle === "late" && batch === 0 ? problem("unavailable") : { status: 200 },
    );
    const results = await all([assign("a"), assign("late"), assign("b")]);
    expect(batches[1]).toMatchObject([{ assign: { handle: "late" } }]);
    expect(batches[1]?.[0]?.idempotencyKey).toBe(batches[0]?.[1]?.idempotencyKey);
    expect(waitsMs).toEqual([2_000]);
    expect(results).toMatchObject([
      { index: 0, status: 200 },
      { index: 1, status: 200 },
      { index: 2, status: 200 },
    ]);
  });

  it("are not sent again for ever, nor after a long wait", async () => {
    const { batches, all } = api(({ assign }) =>
      problem(assign?.handle === "a" ? "contended" : "pool_deleting"),
    );
    const results = await all([assign("a"), assign("b")]);
    expect(batches.map(({ length }) => length)).toEqual([2, 1, 1, 1, 1, 1]);
    expect(results).toMatchObject([
      { problem: { code: "contended" } },
      { problem: { code: "pool_deleting" } },
    ]);
  });

  it("wait as long as they are asked to, and begin no wait that does not fit 30 s without progress", async () => {
    const waiting = (retryAfterSeconds: number): Told => ({
      status: 409,
      problem: {
        ...(problem("request_in_progress").problem as object),
        retryAfterSeconds,
      } as never,
    });
    const { batches, waitsMs, all } = api(({ assign }, batch) =>
      assign?.handle === "cooling"
        ? waiting(33)
        : assign?.handle === "next" && batch > 1
          ? { status: 200 }
          : waiting(12),
    );
    const results = await all([assign("cooling"), assign("next"), assign("never")]);
    expect(waitsMs).toEqual([12_000, 12_000, 12_000, 12_000]);
    expect(batches.map(({ length }) => length)).toEqual([3, 2, 2, 1, 1]);
    expect(results.map(({ status }) => status)).toEqual([409, 200, 409]);
  });

  it("release what was left unfinished, and have one result for all their addresses", async () => {
    const statuses = [
      ["released", "unfinished", "conflict", "unfinished"],
      ["released", "released"],
    ] as const;
    const { batches, all } = api(({ release }, batch) => ({
      status: 200,
      released: {
        requestId: "r",
        results: (statuses[batch] ?? []).map((status, n) => ({
          address: release?.addresses[n]?.address ?? "",
          status,
        })),
        complete: batch > 0,
      },
    }));
    const [result] = await all([release("a", "b", "c", "d")]);
    expect(batches[1]?.[0]?.release?.addresses.map(({ address }) => address)).toEqual(["b", "d"]);
    expect(result?.released?.complete).toBe(true);
    expect(result?.released?.results).toEqual([
      { address: "a", status: "released" },
      { address: "b", status: "released" },
      { address: "c", status: "conflict" },
      { address: "d", status: "released" },
    ]);
  });

  it.each(["unavailable", "throttled"] as const)(
    "do not repeat a release by handle that is %s, because a part of it may be done",
    async (code) => {
      const { batches, all } = api(() => problem(code));
      const [result] = await all([byHandle("10.0.0.1")]);
      expect(batches).toHaveLength(1);
      expect(result).toMatchObject({ problem: { code } });
    },
  );

  it("repeat of an unfinished release only the addresses with a generation", async () => {
    const [first, rest] = ["unfinished", "released"] as const;
    const { batches, all } = api(({ release }, batch) => {
      const results = (release?.addresses ?? []).map(({ address }) => ({
        address,
        status: batch > 0 ? rest : first,
      }));
      return { status: 200, released: { requestId: "r", results, complete: batch > 0 } };
    });
    const mixed = [byHandle("a"), release("b"), byHandle("c"), release("d")];
    const [result] = await all([
      { release: { addresses: mixed.flatMap((one) => one.release?.addresses ?? []) } },
    ]);
    const sent = batches.map(([one]) => one?.release?.addresses.map(({ address }) => address));
    expect(sent).toEqual([
      ["a", "b", "c", "d"],
      ["b", "d"],
    ]);
    expect(result?.released).toMatchObject({
      complete: false,
      results: [
        { address: "a", status: "unfinished" },
        { address: "b", status: "released" },
        { address: "c", status: "unfinished" },
        { address: "d", status: "released" },
      ],
    });
  });

  it("yield what was answered before the failure of a batch is thrown", async () => {
    const failure = new ApiError({ ...problem("forbidden").problem } as never);
    const { batches, plat } = api((_, batch) => {
      if (batch === 1) throw failure;
      return { status: 200 };
    });
    const seen: number[] = [];
    const running = async () => {
      for await (const { index } of plat.inBatches(many(9 * BATCH_ITEMS_MAX))) seen.push(index);
    };
    await expect(running()).rejects.toBe(failure);
    expect(batches.length).toBeLessThan(9);
    expect(seen).toContain(0);
    expect(seen).toContain(2 * BATCH_ITEMS_MAX);
    expect(seen).not.toContain(BATCH_ITEMS_MAX);
  });
});

describe("the key of an assign in a batch", () => {
  const keysOf = async (requests: readonly BatchedRequest[]) => {
    const { batches, all } = api();
    await all(requests);
    return batches.flat().map(({ idempotencyKey }) => idempotencyKey);
  };

  it("is the same for the same request, whatever comes with it", async () => {
    const [a] = await keysOf([assign("a")]);
    expect(await keysOf([assign("b"), { assign: { handle: "a", ipv4: 1, host: "n1" } }])).toContain(
      a,
    );
    expect(a).toMatch(/^[\w-]{32}\.0$/);
  });

  it("differs between two requests, and between equal ones", async () => {
    const keys = await keysOf([
      assign("a"),
      assign("b"),
      assign("a"),
      assign("a", { pools: ["x"] }),
    ]);
    expect(new Set(keys).size).toBe(4);
  });

  it("is the own one, or the uid of the instance, if there is one", async () => {
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "u" };
    const named: BatchedRequest = { assign: { host: "n1", ipv4: 1, namespace: "shop", workload } };
    expect(await keysOf([{ ...assign("a"), idempotencyKey: "mine" }, named, release("a")])).toEqual(
      ["mine", undefined, undefined],
    );
  });
});

it("a batch is repeatable if each of its requests is", () => {
  const sent = (...requests: readonly BatchedRequest[]) =>
    isRepeatable({ method: "POST", path: "/v1/batch" as never, body: { requests } });
  expect(sent(assign("a"), release("10.0.0.1"))).toBe(true);
  expect(
    sent(assign("a"), { release: { addresses: [{ address: "10.0.0.1", handle: "a" }] } }),
  ).toBe(false);
});
