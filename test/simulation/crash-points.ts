import { type Outcome, UnavailableError } from "../../src/base/outcome.ts";
import type { Item } from "../../src/table/item.ts";
import type { Table, Write } from "../../src/table/table.ts";

/** The faults of a walk at one of its calls. */
export const MISHAPS = [
  "killed before the call",
  "killed after the call",
  "the answer is lost",
  "the request is lost",
  "the request lands after everything else",
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** Ends a walk whose process is dead: none of its code runs on. */
class Killed extends Error {
  override readonly name = "Killed";
}

/** Counts the calls of a walk. It runs the walk once on a table of its own. */
export async function callsOf(
  table: Table,
  walk: (table: Table) => Promise<unknown>,
): Promise<readonly string[]> {
  const labels: string[] = [];
  await walk(
    intercepted(table, async (label, go) => {
      labels.push(label);
      return go();
    }),
  );
  return labels;
}

/**
 * Runs a walk with a fault at one call. Returns the walk's answer, if it lived to answer, and a
 * function that lets the delayed request land.
 */
export async function withMishap<T>(
  table: Table,
  at: number,
  mishap: Mishap,
  walk: (table: Table) => Promise<T>,
  readsMax = 1,
): Promise<{ readonly answer: T | undefined; landLate(): Promise<void> }> {
  let calls = 0;
  let late: Write | undefined;
  let dead = false;
  let unheardReads = 0;
  const faulty = intercepted(table, async (_, go, write) => {
    if (dead) throw new Killed();
    const isAgain = !write && unheardReads > 0 && unheardReads < readsMax;
    if (calls++ !== at && !isAgain) return go();
    if (mishap === "killed after the call") await go();
    if (mishap.startsWith("killed")) {
      dead = true;
      throw new Killed();
    }
    if (!write) {
      unheardReads++;
      return unheard(mishap, go);
    }
    if (mishap === "the answer is lost") await go();
    if (mishap === "the request lands after everything else") late = write;
    return { outcome: "unknown" } as const;
  });
  return {
    answer: await answerOf(walk(faulty)),
    landLate: async () => {
      if (late) await table.write(late);
    },
  };
}

/**
 * Fails a read for good, as after its last retry; the author gets an error, and lives. A delayed
 * read succeeds in time.
 */
async function unheard(mishap: Mishap, go: () => Promise<unknown>): Promise<unknown> {
  if (mishap === "the request lands after everything else") return go();
  throw new UnavailableError("the database did not answer a read");
}

/**
 * Returns a table on which a walk pauses before one of its calls, until another operation has
 * ended.
 */
export function withIntruder(table: Table, at: number, come: () => Promise<void>): Table {
  let calls = 0;
  return intercepted(table, async (_, go) => {
    if (calls++ === at) await come();
    return go();
  });
}

/** A write of a walk at which it pauses: before the write, or after it if its answer is lost. */
interface AtWrite {
  readonly at: number;
  readonly lost: boolean;
}

/**
 * Returns a table on which a walk pauses at one of its writes, until another operation has ended.
 */
export function withIntruderAtWrite(
  table: Table,
  { at, lost }: AtWrite,
  come: () => Promise<void>,
): Table {
  let writes = 0;
  return intercepted(table, async (_, go, write) => {
    if (!write || writes++ !== at) return go();
    if (lost) await go();
    await come();
    return lost ? { outcome: "unknown" } : go();
  });
}

/**
 * Returns a table on which a walk pauses before one of its writes until the test lets it go on, or
 * ends it there.
 *
 * @param isThere returns true for the write to pause before, by its step and number
 */
export function stoppedBefore(table: Table, isThere: (step: string, n: number) => boolean) {
  let writes = 0;
  let dead = false;
  let isStopped = false;
  const stop = new Signal<void>();
  const order = new Signal<"go on" | "end">();
  const stopped = intercepted(table, async (step, go, write) => {
    if (dead) throw new Killed();
    if (!write || isStopped || !isThere(step, writes++)) return go();
    isStopped = true;
    stop.give();
    dead = (await order.given) === "end";
    if (dead) throw new Killed();
    return go();
  });
  return {
    table: stopped,
    /** Resolves when the walk pauses. */
    stops: stop.given,
    goOn: () => order.give("go on"),
    end: () => order.give("end"),
  };
}

class Signal<T> {
  give!: (value: T) => void;
  readonly given = new Promise<T>((resolve) => {
    this.give = resolve;
  });
}

/** Returns the answer of a walk, if it lived to answer; under contention or without an answer it may ask for a retry. */
export async function answerOf<T>(walk: Promise<T>): Promise<T | undefined> {
  try {
    return await walk;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (!["Killed", "ContentionError", "ThrottledError", "UnavailableError"].includes(name))
      throw error;
    return undefined;
  }
}

type Intercept = (label: string, go: () => Promise<unknown>, write?: Write) => Promise<unknown>;

function intercepted(table: Table, intercept: Intercept): Table {
  return {
    get: (key, options) =>
      intercept("get", () => table.get(key, options)) as Promise<Item | undefined>,
    query: (pk, options) =>
      intercept("query", () => table.query(pk, options)) as ReturnType<Table["query"]>,
    scan: (limit, options) =>
      intercept("scan", () => table.scan(limit, options)) as ReturnType<Table["scan"]>,
    due: (shard, options) =>
      intercept("due", () => table.due(shard, options)) as ReturnType<Table["due"]>,
    write: (write) =>
      intercept(write.step, () => table.write(write), write) as Promise<Outcome<Item>>,
  };
}
