import { AsyncLocalStorage } from "node:async_hooks";
import type { Clause } from "../../src/store/clause.ts";
import type { Change, Write } from "../../src/store/table.ts";
import { AND, isPossible, MutatedTable } from "../simulation/mutate.ts";

/** Clauses whose name is shared by different kinds of writes. Each kind is left out separately. */
const SHARED: ReadonlySet<string> = new Set(["end-rev", "format"]);
const FENCE = /-fence$/;

/** Returns the name under which a clause of a write is left out. */
export const nameOf = ({ name }: Clause, { change }: Pick<Write, "change">): string =>
  SHARED.has(name) ? `${name} (${change.kind})` : name;

/**
 * Returns the name of the fence in a write: the write itself is the fence, or it is part of another
 * change of a block.
 */
export function fenceIn({ step, change }: Write): string | undefined {
  if (FENCE.test(step)) return step;
  return change.kind === "update" && change.set?.some(isEpoch) ? `${step}-epoch` : undefined;
}

/** Returns the name of two clauses of a write together. */
export const pairOf = (one: string, other: string): string => [one, other].sort().join(AND);

/** Returns the clauses in the name of a pair; any other name stands for itself. */
export const clausesOf = (name: string): readonly string[] => name.split(AND);

/**
 * Returns the names of the parts that can decide a write without this one: for a pair, both
 * together or each alone.
 */
export const decidersOf = (name: string): readonly string[] => [
  ...new Set([name, ...clausesOf(name)]),
];

type Setting = NonNullable<(Change & { readonly kind: "update" })["set"]>[number];
const isEpoch = ([[name]]: Setting) => name === "epoch";

const lacking = new AsyncLocalStorage<string>();

/**
 * Runs an act on tables that lack a part of the protocol. The variable `WITHOUT` does the same for
 * a whole process.
 */
export const lackingPart = <T>(name: string, act: () => Promise<T>): Promise<T> =>
  lacking.run(name, act);

const { write } = MutatedTable.prototype;
MutatedTable.prototype.write = async function (this: MutatedTable, whole) {
  const missing = lacking.getStore() ?? process.env.WITHOUT;
  if (missing === undefined) return write.call(this, whole);
  const left = without(missing, whole);
  if (left.when.length < whole.when.length && !isPossible(whole, await this.get(whole.key)))
    return { outcome: "lost", item: undefined };
  return write.call(this, left);
};

/** Returns a write without a part. The table itself leaves out whole fences. */
function without(missing: string, write: Write): Write {
  const { step, change } = write;
  const parts = clausesOf(missing);
  const when = write.when.filter((clause) => !parts.includes(nameOf(clause, write)));
  if (change.kind !== "update" || FENCE.test(step) || fenceIn(write) !== missing)
    return { ...write, when };
  const set = change.set?.filter((one) => !isEpoch(one)) ?? [];
  return { ...write, when, change: { ...change, set } };
}
