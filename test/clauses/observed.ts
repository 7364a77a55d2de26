import { holds } from "../../src/store/clause.ts";
import type { Write } from "../../src/store/table.ts";
import { isPossible, MutatedTable } from "../simulation/mutate.ts";
import { fenceIn, nameOf } from "./parts.ts";

/** A clause that alone refuses a write, or a fence that is made: without it, things would go another way from here on. */
export interface Decision {
  readonly name: string;
  readonly kind: "clause" | "fence";
  readonly step: string;
}

/**
 * Tells of every write that is made from now on, to whatever tables of the simulation in this process, before it is carried
 * out: what it has by way of clauses, and what decides it.
 *
 * @returns what ends the telling
 */
export function observe(onWrite: (write: Write, decision: Decision | undefined) => void) {
  const { write } = MutatedTable.prototype;
  MutatedTable.prototype.write = async function (this: MutatedTable, change) {
    onWrite(change, await decisionOn(change, this));
    return write.call(this, change);
  };
  return () => {
    MutatedTable.prototype.write = write;
  };
}

async function decisionOn(write: Write, table: MutatedTable): Promise<Decision | undefined> {
  const { step, key, when } = write;
  const fence = fenceIn(write);
  const item = await table.get(key);
  const refusing = when.filter((clause) => !holds(clause, item));
  if (fence !== undefined && refusing.length === 0) return { name: fence, kind: "fence", step };
  const [alone] = refusing;
  return alone && refusing.length === 1 && isPossible(write, item)
    ? { name: nameOf(alone, write), kind: "clause", step }
    : undefined;
}
