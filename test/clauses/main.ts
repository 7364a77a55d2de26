import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { inParallel } from "../../src/kernel/core/parallel.ts";
import { NOTICED } from "../simulation/noticed.ts";
import { simulate } from "../simulation/run.ts";
import { commitOf, digestOfSources } from "../simulation/sources.ts";
import { EXCUSED } from "./excused.ts";
import { type Item, inventoryOf, withDecisions } from "./inventory.ts";
import { clausesOf, decidersOf, lackingPart } from "./parts.ts";
import { type Observed, observeSuites, testOfWhole, testThatNotices } from "./suites.ts";
import { type Noticed, writeLines, writeTable } from "./table.ts";

/**
 * The program of `npm run clauses`. It leaves out every clause of the conditional writes, and every
 * fence, one after another. It reports which test fails without the part, or which simulated run
 * breaks. A name that two kinds of writes share stands for two parts, and a fresh epoch inside of
 * another write is a fence. A part changes nothing in a test or a run of which it decides no write,
 * so these are left out. Two clauses of one write can cover each other. If no test notices the
 * absence of either, the program leaves out both together as well. `--resume FILE` continues an
 * earlier execution; `--only A,B` selects parts, and leaves the lines of the others as they are; `--runs N` is the number of
 * simulated runs; `--workers N` is the number of processes. The table goes into docs/protocol.md.
 */
const { values } = parseArgs({
  options: {
    resume: { type: "string" },
    only: { type: "string" },
    runs: { type: "string", default: "1000" },
    workers: { type: "string", default: "2" },
  },
});

/** The maximum number of examined runs, among those that change without the part. */
const LIVES_MAX = 150;

interface Kept {
  /**
   * The digest of the sources, including the table that leaves parts out. The program does not
   * continue a file with another digest.
   */
  readonly sources: string;
  readonly runs: number;
  readonly items: readonly Item[];
  readonly observed: readonly Observed[];
  readonly noticed: Readonly<Record<string, Noticed>>;
}

const sources = digestOfSources();
const kept = carriedOn() ?? (await begun(Number(values.runs)));
const noticed: Record<string, Noticed> = { ...kept.noticed };
keep();

const only = values.only?.split(",");
const asked = kept.items.filter(({ name }) =>
  clausesOf(name).every((one) => only?.includes(one) ?? true),
);
await lookAt(asked.filter(({ kind }) => kind !== "pair"));
const covering = asked.filter(({ name, kind }) => kind === "pair" && isUnnoticed(name));
await lookAt(covering);
const shown = (only ? asked : kept.items).filter(
  (item) => item.kind !== "pair" || covering.includes(item),
);
const missed = only ? writeLines(shown, noticed) : writeTable(shown, noticed, commitOf());
if (missed.length > 0) {
  process.exitCode = 1;
  console.error(`nothing notices, and nobody says why: ${missed.join(", ")}`);
}

/** Returns true if nothing fails when either of the two is left out alone. */
function isUnnoticed(pair: string): boolean {
  return clausesOf(pair).every((name) => noticed[name]?.by === "nothing");
}

async function lookAt(items: readonly Item[]): Promise<void> {
  const open = items.filter(({ name }) => noticed[name] === undefined);
  await inParallel(open, Number(values.workers), async (item) => {
    noticed[item.name] = await whatNotices(item);
    console.log(`${item.name}: ${JSON.stringify(noticed[item.name])}`);
    keep();
  });
}

async function begun(runs: number): Promise<Kept> {
  const observing = observeSuites();
  const inRuns = await inventoryOf(Array.from({ length: runs }, (_, i) => i + 1));
  const { tests, decisions } = await observing;
  return { sources, runs, items: withDecisions(inRuns, decisions), observed: tests, noticed: {} };
}

async function whatNotices({ name }: Item): Promise<Noticed> {
  const test = await testThatNotices(name, kept.observed);
  if (test !== undefined) return { by: "test", test };
  const known = NOTICED.filter(([noticed]) => noticed === name).map(([, seed]) => seed);
  const seeds = [...new Set(decidersOf(name).flatMap((decider) => seedsOf(decider)))];
  const lives = [...known, ...seeds.slice(0, LIVES_MAX)];
  for (const seed of lives) {
    const { violations } = await lackingPart(name, () => simulate({ seed, without: name }));
    const invariants = [...new Set(violations.map(({ invariant }) => invariant))];
    if (invariants.length > 0) return { by: "simulation", seed, invariants };
  }
  const late = EXCUSED[name] ? undefined : await testOfWhole(name, kept.observed);
  if (late !== undefined) return { by: "test", test: late };
  return { by: "nothing", lives: lives.length, decisive: seeds.length, of: kept.runs };
}

function seedsOf(name: string): readonly number[] {
  return kept.items.find((item) => item.name === name)?.seeds ?? [];
}

function keep(): void {
  if (values.resume) writeFileSync(values.resume, JSON.stringify({ ...kept, noticed }));
}

function carriedOn(): Kept | undefined {
  if (values.resume === undefined || !existsSync(values.resume)) return undefined;
  const found = JSON.parse(readFileSync(values.resume, "utf8")) as Kept;
  if (found.sources === sources) return found;
  console.log(`${values.resume} is of other sources: this begins anew`);
  return undefined;
}
