import { describe, expect, it } from "vitest";
import { Problem } from "../../../../src/api/schema/problem.ts";
import type { SpaceUtilization } from "../../../../src/nouns/utilization/operations/space-utilization.ts";
import { spaceUtilizationAnswer } from "../../../../src/nouns/utilization/serve/answer.ts";
import {
  parseSpaceUtilization,
  type SpaceUtilizationWanted,
} from "../../../../src/nouns/utilization/serve/space-utilization.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

/** The quota of API Gateway for the request line and headers: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const LINE_AND_HEADERS_BYTES_MAX = 10_240;
/** The bytes of a signed request's headers: host, date, authorization and session token. */
const HEADERS_BYTES = 2_500;

const read = (query: Readonly<Record<string, string>>) =>
  parseSpaceUtilization(eventOf("GET", "/v1/utilization", { query }));

const names = Array.from({ length: 64 }, (_, i) => `p${i}`.padEnd(63, "x"));
const pool = names.join(",");
/** The position of a count in an IPv6 pool with the longest name and the largest sums. */
const far = 2n ** 128n;
const answered: SpaceUtilization = {
  pools: [],
  next: {
    pool: "x".repeat(253),
    within: {
      poolId: "AaH9bgInfBgZ-A0",
      after: { family: 6, value: far - 1n },
      sum: {
        capacity: 5n * far,
        inUse: far,
        hostReserved: far,
        reserved: far,
        cooling: far,
        available: far,
      },
      reservedInBlocks: far,
    },
  },
};
const cursorFor = (query: Readonly<Record<string, string>>) =>
  (
    spaceUtilizationAnswer(answered, "id", read(query) as SpaceUtilizationWanted).body as {
      next: string;
    }
  ).next;

describe("the cursor of a utilization", () => {
  it("leaves room in a request for as many pools as may be named", () => {
    // The query repeats the parameter for each pool.
    const next = new URLSearchParams(names.map((name): [string, string] => ["pool", name]));
    next.set("cursor", cursorFor({ pool }));
    next.set("space", "x".repeat(63));
    const line = `GET /v1/utilization?${next} HTTP/1.1`;
    expect(line.length + HEADERS_BYTES).toBeLessThan(LINE_AND_HEADERS_BYTES_MAX);
  });

  it("goes on with the same pools, and with no others", () => {
    const cursor = cursorFor({ pool });
    expect(read({ pool, cursor })).toMatchObject({ named: names, position: answered.next });
    for (const other of [names.slice(1).join(","), names.toReversed().join(","), "main"])
      expect(rejectedFields(() => read({ pool: other, cursor }))).toEqual([
        expect.stringContaining("?cursor: belongs to another list"),
      ]);
    expect(() => read({ cursor })).toThrow(Problem);
    expect(() => read({ pool, cursor: cursorFor({}) })).toThrow(Problem);
  });
});
