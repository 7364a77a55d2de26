import { assertPoolUsage, type PoolUsage, THRESHOLDS_PERCENT } from "../domain/pool-usage.ts";
import type { UsageSample } from "../domain/usage-samples.ts";
import { numberOf, textOf, textsOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { poolUsageKey, poolUsagesPk, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import type { Table } from "./table.ts";
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
      const item = itemFrom(usage);
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

function itemFrom(usage: PoolUsage): Item {
  assertPoolUsage(usage);
  const { space, poolId, pool, family, countedFromMs, countedAtMs, threshold, samples } = usage;
  return {
    ...poolUsageKey(space, poolId),
    pool,
    family,
    from: countedFromMs,
    at: countedAtMs,
    usage: usageText(usage.usage),
    ...(threshold !== undefined && { threshold }),
    samples: samples.map(sampleText),
  };
}

export const poolUsageFrom = reading((item: Item): PoolUsage => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const threshold = THRESHOLDS_PERCENT.find((each) => each === item.threshold);
  return {
    space,
    poolId: unescaped(item.sk),
    pool: textOf(item, "pool"),
    family: numberOf(item, "family") === 6 ? 6 : 4,
    countedFromMs: numberOf(item, "from"),
    countedAtMs: numberOf(item, "at"),
    usage: usageFrom(textOf(item, "usage")),
    ...(threshold !== undefined && { threshold }),
    samples: textsOf(item, "samples").map(sampleFrom),
  };
}, assertPoolUsage);

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
