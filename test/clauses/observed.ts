import { isMet } from "../../src/table/clause.ts";
import type { Write } from "../../src/table/table.ts";
import { isPossible, MutatedTable } from "../simulation/mutate.ts";
import { fenceIn, nameOf, ownClausesOf, pairOf } from "./parts.ts";

/**
 * The part that decides a write: a clause that alone rejects it, two clauses that both reject it,
 * or a fence that it makes. Without the part, the run would continue differently.
 */
export interface Decision {
  readonly name: string;
  readonly kind: "clause" | "pair" | "fence";
  readonly step: string;
}

/**
 * Calls `onWrite` before each write to any table of the simulation in this process, with the write
 * and the part that decides it.
 *
 * @returns a function that ends the observation
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
  const refusing = when.filter((clause) => !isMet(clause, item));
  const own = ownClausesOf(write);
  // The deletion after it decides by what signing repeats.
  if (refusing.some((clause) => !own.includes(clause))) return undefined;
  if (fence !== undefined && refusing.length === 0) return { name: fence, kind: "fence", step };
  const [one, other, ...more] = refusing.map((clause) => nameOf(clause, write));
  if (one === undefined || more.length > 0 || !isPossible(write, item)) return undefined;
  return other === undefined
    ? { name: one, kind: "clause", step }
    : { name: pairOf(one, other), kind: "pair", step };
}
