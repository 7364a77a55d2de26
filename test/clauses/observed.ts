import { holds } from "../../src/store/clause.ts";
import type { Write } from "../../src/store/table.ts";
import { isPossible, MutatedTable } from "../simulation/mutate.ts";
import { fenceIn, nameOf, pairOf } from "./parts.ts";

/**
 * A clause that alone rejects a write, two that refuse it together, or a fence that is made: without it, things would go
 * another way from here on.
 */
export interface Decision {
  readonly name: string;
  readonly kind: "clause" | "pair" | "fence";
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
  const [one, other, ...more] = refusing.map((clause) => nameOf(clause, write));
  if (one === undefined || more.length > 0 || !isPossible(write, item)) return undefined;
  return other === undefined
    ? { name: one, kind: "clause", step }
    : { name: pairOf(one, other), kind: "pair", step };
}
