import { expect, it } from "vitest";
import { encoded } from "../../../../src/api/http/http.ts";
import { invalid } from "../../../../src/api/schema/problem.ts";
import { BATCH_ADDRESSES_MAX, BATCH_ITEMS_MAX } from "../../../../src/base/limits.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import type { Assignment } from "../../../../src/kernel/assign/assignment.ts";
import type { BatchResult } from "../../../../src/kernel/batch/batch.ts";
import type { BatchRequest } from "../../../../src/nouns/address/serve/batch.ts";
import { batchAnswer } from "../../../../src/nouns/address/serve/batch-answer.ts";
import type { NetworkOfAddress } from "../../../../src/nouns/pool/network.ts";
import { selectPools } from "../../../../src/selection/selection.ts";
import { network, poolWith } from "../../../builders.ts";

/** The bytes that a function can answer. */
const LAMBDA_BYTES_MAX = 6_291_556;
const NAME = "x".repeat(240);

type Entry = BatchRequest["entries"][number];

/** Returns the results that an answer has, and its bytes as a function sends it. */
function sent(
  results: readonly BatchResult[],
  entries: readonly Entry[] = results.map(() => SERVED),
) {
  const answer = encoded(batchAnswer(results, "id", { entries, items: [], asLines: false }), "id");
  const body = JSON.parse(answer.body ?? "") as ReturnType<typeof bodyOf>;
  return { results: body.results, bytes: Buffer.byteLength(JSON.stringify(answer)) };
}
const SERVED: Entry = { read: { kind: "release", space: "a", entries: [], keep: false } };

const bodyOf = (): Extract<ReturnType<typeof batchAnswer>["body"], { complete: boolean }> => {
  throw new Error("only its type is used");
};

const times = (count: number, answer: Assignment | Rejection): readonly BatchResult[] =>
  new Array<BatchResult>(count).fill({ kind: "assigned", answer });

/** Returns the rejection of a request in a space with so many pools, none of which may serve it. */
const noneOf = (pools: number): Rejection =>
  selectPools(
    Array.from({ length: pools }, (_, n) =>
      poolWith({ name: `${n}-${NAME}`, cidr: network(`10.${n}.0.0/16`), nodeNames: ["n1"] }),
    ),
    {
      family: 4,
      isDual: false,
      use: "Workload",
      pools: [],
      requester: { hostName: "n2", host: undefined, namespace: undefined },
    },
  ) as Rejection;

const LONG_NETWORK: NetworkOfAddress = {
  prefixLength: 128,
  domain: NAME,
  dns: new Array(8).fill({ family: 6, value: 2n ** 128n - 1n }),
  routes: new Array(64).fill({
    dst: { family: 6, base: 2n ** 128n - 1n, prefix: 128 },
    gw: { family: 6, value: 2n ** 128n - 1n },
  }),
  labels: { [NAME]: NAME },
};

const assignment = (addresses: number, messages: readonly string[] = []): Assignment => ({
  handle: NAME,
  addresses: Array.from({ length: addresses }, (_, n) => ({
    address: `2001:db8::${n.toString(16)}`,
    family: 6,
    block: "2001:db8::/122",
    pool: NAME,
    generation: NAME,
    borrowed: false,
    network: LONG_NETWORK,
  })),
  requested: addresses,
  messages,
  missing: [],
});

it("tells each reason whole in an answer that is not too long", () => {
  const rejection = noneOf(50);
  const [result] = sent(times(2, rejection)).results;
  expect(result?.problem).toMatchObject({ detail: rejection.detail, pools: { length: 50 } });
});

it("shortens the reasons of 1,000 rejections in a space of 50 pools, and says so", () => {
  const { bytes, results } = sent(times(BATCH_ITEMS_MAX, noneOf(50)));
  expect(bytes).toBeLessThan(LAMBDA_BYTES_MAX);
  expect(results).toHaveLength(BATCH_ITEMS_MAX);
  const { code, rule, pools, detail } = results[0]?.problem ?? {};
  expect({ code, rule }).toEqual({ code: "no_pool_available", rule: "automatic" });
  expect(pools).toMatchObject([{ pool: `0-${NAME}` }]);
  expect(detail).toMatch(/^No pool can serve this request: 0-x+… The answer to the batch has no/);
});

it("shortens the faults of 1,000 requests", () => {
  const fault = { field: NAME, value: NAME, problem: NAME };
  const wrong: Entry = { read: invalid(...new Array(50).fill(fault)) };
  const { bytes, results } = sent([], new Array(BATCH_ITEMS_MAX).fill(wrong));
  expect(bytes).toBeLessThan(LAMBDA_BYTES_MAX);
  expect(results[0]).toMatchObject({ status: 400, problem: { code: "invalid_request" } });
});

it("leaves out an object without room, such as the principals of a pool", () => {
  const limit = { pool: NAME, principals: new Array(64).fill(NAME) };
  const { bytes, results } = sent(
    times(BATCH_ITEMS_MAX, new Rejection("pool_forbidden", "No.", { limit, pools: [] })),
  );
  expect(bytes).toBeLessThan(LAMBDA_BYTES_MAX);
  expect(results[0]?.problem).not.toHaveProperty("limit");
  expect(results[0]?.problem).toMatchObject({
    pools: [],
    detail: expect.stringMatching(/^No\. T/),
  });
});

it("keeps short lists whole before it has the first entries of a long one", () => {
  const pools = new Array(50).fill({ pool: NAME });
  const missing = [{ family: 4, count: 1, code: "no_pool_available" }] as const;
  const { results } = sent(
    times(BATCH_ITEMS_MAX, new Rejection("no_pool_available", "No.", { pools, missing })),
  );
  expect(results[0]?.problem).toMatchObject({ pools: [{ pool: NAME }, { pool: NAME }], missing });
});

it("has the routes and labels of 1,000 addresses, if a function can send them", () => {
  const { routes } = LONG_NETWORK;
  const short = { prefixLength: 24, routes: routes?.slice(0, 30), labels: { rack: "a" } };
  const one = assignment(1);
  const addresses = one.addresses.map((address) => ({ ...address, network: short }));
  const { bytes, results } = sent(times(BATCH_ITEMS_MAX, { ...one, addresses } as Assignment));
  expect(bytes).toBeGreaterThan(4_000_000);
  expect(bytes).toBeLessThan(LAMBDA_BYTES_MAX);
  expect(results.every(({ assigned }) => assigned?.addresses[0]?.routes?.length === 30)).toBe(true);
});

it("has every address of the longest assigns, without routes and labels, beside rejections", () => {
  const long = assignment(BATCH_ADDRESSES_MAX / 8, [NAME.repeat(100)]);
  const { bytes, results } = sent([...times(8, long), ...times(BATCH_ITEMS_MAX - 8, noneOf(50))]);
  expect(bytes).toBeLessThan(LAMBDA_BYTES_MAX);
  const addresses = results.flatMap(({ assigned }) => assigned?.addresses ?? []);
  expect(addresses).toHaveLength(BATCH_ADDRESSES_MAX);
  expect(addresses[0]).toMatchObject({ domain: NAME, dns: { length: 8 } });
  expect(addresses.some(({ routes, labels }) => routes ?? labels)).toBe(false);
  expect(results[0]?.assigned?.messages).toEqual([
    `${"x".repeat(240)}…`,
    expect.stringContaining("a read of the handle has them"),
  ]);
});
