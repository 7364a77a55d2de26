import { PARTITION_READ_UNITS_PER_S, PARTITION_WRITE_UNITS_PER_S } from "./model.ts";

/** The units that one partition has consumed. */
export interface Consumed {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** Calls that were rejected because the partition had no units left. */
  throttled: number;
}

/**
 * The capacity of DynamoDB: units per second for each partition, kept for a second if unused. A partition here is one
 * partition key, or one of the due index. If it is hot, DynamoDB gives it a partition of its own.
 */
export class Capacity {
  readonly #partitions = new Map<string, Partition>();

  /**
   * Takes units of a partition, or returns false if it has none left. A call may overdraw, because
   * the cost of a page is known only after its read. The next calls wait for the overdrawn units.
   */
  take(name: string, kind: "read" | "write", units: number, nowMs: number): boolean {
    const partition = this.#partitions.get(name) ?? newPartition(nowMs);
    this.#partitions.set(name, partition);
    const { consumed } = partition;
    consumed.calls++;
    const bucket = partition[kind];
    const sinceMs = nowMs - bucket.atMs;
    bucket.units = Math.min(bucket.perS, bucket.units + (sinceMs * bucket.perS) / 1_000);
    bucket.atMs = nowMs;
    if (bucket.units <= 0) {
      consumed.throttled++;
      return false;
    }
    bucket.units -= units;
    consumed[kind === "read" ? "readUnits" : "writeUnits"] += units;
    return true;
  }

  /** Returns the units that a partition has consumed. */
  of(name: string): Readonly<Consumed> {
    return this.#partitions.get(name)?.consumed ?? nothing();
  }

  /** Returns the units that all partitions have consumed. */
  total(): Readonly<Consumed> {
    const sum = nothing();
    for (const { consumed } of this.#partitions.values()) {
      sum.calls += consumed.calls;
      sum.readUnits += consumed.readUnits;
      sum.writeUnits += consumed.writeUnits;
      sum.throttled += consumed.throttled;
    }
    return sum;
  }
}

interface Bucket {
  readonly perS: number;
  units: number;
  atMs: number;
}

interface Partition {
  readonly read: Bucket;
  readonly write: Bucket;
  readonly consumed: Consumed;
}

const nothing = (): Consumed => ({ calls: 0, readUnits: 0, writeUnits: 0, throttled: 0 });

const bucketOf = (perS: number, atMs: number): Bucket => ({ perS, units: perS, atMs });

const newPartition = (nowMs: number): Partition => ({
  read: bucketOf(PARTITION_READ_UNITS_PER_S, nowMs),
  write: bucketOf(PARTITION_WRITE_UNITS_PER_S, nowMs),
  consumed: nothing(),
});
