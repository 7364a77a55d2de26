import type { Outcome } from "../domain/outcome.ts";
import { assertQuota, type Quota } from "../domain/quota.ts";
import { assertRequestRate, type RequestRate } from "../domain/request-rate.ts";
import { idOf, numberOf, textOf } from "./attribute.ts";
import { absent, atMost, equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { quotaKey, requestRateKey, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import { nameIn } from "./readable-items.ts";
import type { Table } from "./table.ts";

/** The calls for quotas, and for the requests that functions took from them. Each method is one call to the database. */
export function quotaItems(table: Table) {
  return {
    async putQuota(quota: Quota, seen: Quota | undefined): Promise<Outcome<Quota>> {
      assertQuota(quota);
      const { space, name, ...fields } = quota;
      const item: Item = { ...quotaKey(space, name), ...fields };
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
      assertRequestRate(rate);
      const { space, quota, second, taken } = rate;
      const item: Item = { ...requestRateKey(space, quota), second, taken };
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

export const quotaFrom = reading((item: Item): Quota => {
  const number = (name: keyof Quota) =>
    item[name] === undefined ? {} : { [name]: numberOf(item, name) };
  const text = (name: keyof Quota) =>
    item[name] === undefined ? {} : { [name]: textOf(item, name) };
  return {
    space: unescaped(item.pk.split("#")[1] as string),
    name: nameIn(item),
    ...text("principal"),
    ...text("tenant"),
    ...number("addresses"),
    ...number("prefixes"),
    ...number("blocks"),
    ...number("requestsPerSecond"),
    revision: idOf(item, "revision"),
  };
}, assertQuota);

export const requestRateFrom = reading((item: Item): RequestRate => {
  const [, space, quota] = item.pk.split("#").map(unescaped);
  return {
    space: space as string,
    quota: quota as string,
    second: numberOf(item, "second"),
    taken: numberOf(item, "taken"),
  };
}, assertRequestRate);
