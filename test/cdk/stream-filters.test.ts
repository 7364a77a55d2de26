import { expect, it } from "vitest";
import { STREAM_FILTERS } from "../../cdk/stream-filters.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import type { Key } from "../../src/table/item.ts";
import * as key from "../../src/table/key.ts";
import { KIND_NAMES, kindNameOf } from "../../src/table/kinds.ts";
import { matches } from "../../twin/stream-filter.ts";

const cidr = parseCidr("10.0.0.0/26");
if (!cidr.ok) throw new Error(cidr.problem);
const block = cidr.value;
const host = hostId("host", "n1");

const KEYS: readonly Key[] = [
  key.TABLE_KEY,
  key.spaceKey("s"),
  key.configKey("s"),
  key.quotaKey("s", "q"),
  key.requestRateKey("s", "q"),
  key.budgetKey({ space: "s", quota: "q", of: "addresses" }),
  key.poolKey("s", "p"),
  key.reservationKey("s", "r"),
  key.versionKey("s"),
  key.planKey("s"),
  key.blockKey("s", block),
  key.blockGroupIndexKey("s", "id", "0"),
  key.fullPoolKey("s", "id"),
  key.poolUsageKey("s", "id"),
  key.lendingKey("s", "id", "0"),
  key.affinityKey("s", host, 4, 0),
  key.fullBlockKey("s", host, block),
  key.nodeKey("s", "n1"),
  key.borrowedBlockKey("s", host, block),
  key.nodeEntryKey("s", "n1"),
  key.ciliumReportKey("s", "n1", "u"),
  key.reportKey("s", "n1"),
  key.signOfLifeKey("s", "n1"),
  key.tombstoneKey("s", "n1", "u"),
  key.statedKey({ space: "s", node: "n1", uid: "u", by: "node" }),
  key.machineKey({ id: "i-0", space: "s", name: "n1", uid: "u" }),
  key.namespaceKey("s", "ns"),
  key.applicationKey("s", { namespace: "ns", kind: "StatefulSet", name: "db" }),
  key.quotaSlotKey("s", "h", 4, 0),
  key.allocationKey({ space: "s", handleHash: "h", id: "id", keyed: true }),
  key.indexEntryKey({
    ...{ space: "s", attribute: "a", valueHash: "0" },
    place: { space: "s", handleHash: "0", id: "id", keyed: true },
  }),
  key.jobKey("s", "id"),
  key.progressKey(0),
];

/** Returns the kinds of the keys that the filters let through, or keep back. */
const kindsThat = (pass: boolean) =>
  KEYS.filter(({ pk, sk }) => {
    const streamed = { dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } };
    return matches(STREAM_FILTERS, streamed) === pass;
  }).map(kindNameOf);

it("every kind of item is tried", () => {
  expect(KEYS.map(kindNameOf).sort()).toEqual([...KIND_NAMES].sort());
});

it("of all kinds the filters keep back those from which nothing follows, and no other", () => {
  expect(kindsThat(false)).toEqual(["HOST/FULL", "NODE/SEEN", "SWEEP"]);
});

it("the filters are within what Lambda takes", () => {
  expect(STREAM_FILTERS.length).toBeLessThanOrEqual(5);
  for (const pattern of STREAM_FILTERS)
    expect(JSON.stringify(pattern).length).toBeLessThanOrEqual(4_096);
});
