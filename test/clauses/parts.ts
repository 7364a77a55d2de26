import { AsyncLocalStorage } from "node:async_hooks";
import type { Clause } from "../../src/table/clause.ts";
import type { Change, Write } from "../../src/table/table.ts";
import { AND, isPossible, MutatedTable } from "../simulation/mutate.ts";

/** Clauses whose name is shared by different kinds of writes. Each kind is left out separately. */
const SHARED: ReadonlySet<string> = new Set(["end-rev", "format"]);
const FENCE = /-fence$/;
/** The write before a deletion that names its author. It repeats the conditions of the deletion, and adds its own. */
const SIGNING = { step: "sign-deletion", own: "signed-present" } as const;

/** Returns the name under which a clause of a write is left out. */
export const nameOf = (clause: Clause, write: Pick<Write, "step" | "change">): string =>
  SHARED.has(clause.name) ? `${clause.name} (${kindOf(write)})` : clause.name;

/** Returns the kind of a write. Signing belongs to the deletion after it, and loses a clause together with it. */
export const kindOf = ({ step, change }: Pick<Write, "step" | "change">): Change["kind"] =>
  step === SIGNING.step ? "delete" : change.kind;

/** Returns the clauses that a write itself brings along: all of them, but for those that signing repeats. */
export const ownClausesOf = ({ step, when }: Write): readonly Clause[] =>
  step === SIGNING.step ? when.filter(({ name }) => name === SIGNING.own) : when;

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
