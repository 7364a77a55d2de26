import {
  codec,
  family,
  number,
  type SparseForm,
  text,
  texts,
  under,
  via,
} from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { poolUsageKey, poolUsagesPk, spaceIn, unescaped } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  assertPoolUsage,
  type PoolUsage,
  THRESHOLDS_PERCENT,
  type ThresholdPercent,
  type UsageSample,
} from "./pool-usage.ts";
import { usageFrom, usageText } from "./usage-text.ts";

/** The base in which samples are stored, because a kilobyte is a write unit. */
const RADIX = 36;

/**
 * The calls for the usage of pools. One partition has that of all pools of a space. No decision
 * depends on it, so the last writer wins. Each method is one call to the database.
 */
export function poolUsageItems(table: Table) {
  return {
    /** Returns the usage of each pool of a space, eventually consistent. */
    async listPoolUsages(space: string) {
      const items = await table.query(poolUsagesPk(space), { consistent: false });
      return readEach(items, poolUsageFrom);
    },

    /** Returns the usage of a pool, eventually consistent. @throws {CorruptItemError} */
    async readPoolUsage(space: string, poolId: string): Promise<PoolUsage | undefined> {
      const item = await table.get(poolUsageKey(space, poolId), { consistent: false });
      return item && poolUsageFrom(item);
    },

    async putPoolUsage(usage: PoolUsage): Promise<void> {
      const item = POOL_USAGE.item(usage);
      await table.write({
        step: "pool-usage",
        key: item,
        when: [],
        change: { kind: "put", item },
      });
    },

    async deletePoolUsage({ space, poolId }: Pick<PoolUsage, "space" | "poolId">): Promise<void> {
      const key = poolUsageKey(space, poolId);
      await table.write({ step: "drop-pool-usage", key, when: [], change: { kind: "delete" } });
    },
  };
}

/** A threshold that this version does not know is none. */
const threshold: SparseForm<ThresholdPercent | undefined> = {
  isSparse: true,
  write: (threshold) => threshold,
  read: (attributes, name) => THRESHOLDS_PERCENT.find((each) => each === attributes[name]),
};

const POOL_USAGE = codec<PoolUsage, "space" | "poolId">({
  key: ({ space, poolId }) => poolUsageKey(space, poolId),
  named: (key) => ({ space: spaceIn(key), poolId: unescaped(key.sk) }),
  attributes: {
    pool: text,
    family,
    countedFromMs: under("from", number),
    countedAtMs: under("at", number),
    usage: via(text, usageText, usageFrom),
    threshold,
    samples: via(
      texts,
      (samples) => samples.map(sampleText),
      (stored) => stored.map(sampleFrom),
    ),
  },
  assert: assertPoolUsage,
});
export const poolUsageFrom = POOL_USAGE.from;

const sampleText = ({ atMs, assignable, available, inUse }: UsageSample): string =>
  [atMs, assignable, available, inUse].map((each) => each.toString(RADIX)).join(" ");

function sampleFrom(text: string): UsageSample {
  const [at = "", assignable = "", available = "", inUse = ""] = text.split(" ");
  return {
    atMs: Number.parseInt(at, RADIX),
    assignable: wholeIn(assignable),
    available: wholeIn(available),
    inUse: wholeIn(inUse),
  };
}

/** Reads a whole number of any size. */
const wholeIn = (text: string): bigint =>
  [...text].reduce((sum, digit) => sum * BigInt(RADIX) + BigInt(Number.parseInt(digit, RADIX)), 0n);
