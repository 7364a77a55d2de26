import type { Outcome } from "../../base/outcome.ts";
import { absent, atMost, equals } from "../../table/clause.ts";
import { codec, id, number, optional, text, withItem } from "../../table/codec.ts";
import { partsOf, quotaKey, requestRateKey, spaceAndName } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { assertQuota, assertRequestRate, type Quota, type RequestRate } from "./quota.ts";

/** The calls for quotas, and for the requests that functions took from them. Each method is one call to the database. */
export function quotaItems(table: Table) {
  return {
    async putQuota(quota: Quota, seen: Quota | undefined): Promise<Outcome<Quota>> {
      const item = QUOTA.item(quota);
      const when = [
        seen
          ? equals("put-quota-rev", seen.revision, "revision")
          : absent("put-quota-absent", "pk"),
      ];
      const change = { kind: "put", item } as const;
      return withItem(await table.write({ step: "put-quota", key: item, when, change }), quotaFrom);
    },

    async deleteQuota({ space, name, revision }: Quota): Promise<Outcome<unknown>> {
      return table.write({
        step: "delete-quota",
        key: quotaKey(space, name),
        when: [equals("delete-quota-rev", revision, "revision")],
        change: { kind: "delete" },
      });
    },

    /** Takes requests of the second that others take from, if so many are left. */
    async takeRequests(
      { space, quota, second, taken }: RequestRate,
      max: number,
    ): Promise<Outcome<RequestRate>> {
      const outcome = await table.write({
        step: "take-requests",
        key: requestRateKey(space, quota),
        when: [
          equals("take-requests-second", second, "second"),
          atMost("take-requests-left", max - taken, "taken"),
        ],
        change: { kind: "update", add: [[["taken"], taken]] },
      });
      return withItem(outcome, requestRateFrom);
    },

    async deleteRequestRate({ space, quota, second }: RequestRate): Promise<void> {
      await table.write({
        step: "drop-requests",
        key: requestRateKey(space, quota),
        when: [equals("drop-requests-second", second, "second")],
        change: { kind: "delete" },
      });
    },

    /** Begins a second, with the first requests taken of it. Another function may have begun it. */
    async beginSecond(
      rate: RequestRate,
      seen: RequestRate | undefined,
    ): Promise<Outcome<RequestRate>> {
      const item = REQUEST_RATE.item(rate);
      const outcome = await table.write({
        step: "begin-second",
        key: item,
        when: [
          seen
            ? equals("begin-second-last", seen.second, "second")
            : absent("begin-second-absent", "pk"),
        ],
        change: { kind: "put", item },
      });
      return withItem(outcome, requestRateFrom);
    },
  };
}

const QUOTA = codec<Quota, "space" | "name">({
  key: ({ space, name }) => quotaKey(space, name),
  named: spaceAndName,
  attributes: {
    principal: optional(text),
    tenant: optional(text),
    addresses: optional(number),
    prefixes: optional(number),
    blocks: optional(number),
    requestsPerSecond: optional(number),
    revision: id,
  },
  assert: assertQuota,
});
export const quotaFrom = QUOTA.from;

const REQUEST_RATE = codec<RequestRate, "space" | "quota">({
  key: ({ space, quota }) => requestRateKey(space, quota),
  named: ({ pk }) => {
    const [, space = "", quota = ""] = partsOf(pk);
    return { space, quota };
  },
  attributes: { second: number, taken: number },
  assert: assertRequestRate,
});
export const requestRateFrom = REQUEST_RATE.from;
