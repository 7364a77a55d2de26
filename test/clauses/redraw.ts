import { readFileSync, writeFileSync } from "node:fs";
import { NOTICED } from "../simulation/noticed.ts";
import { simulate } from "../simulation/run.ts";
import { EXCUSED } from "./excused.ts";
import { observe } from "./observed.ts";
import { decidersOf, lackingPart } from "./parts.ts";

/**
 * The program of `npm run redraw`. A change of what the simulation draws makes other seeds notice that a clause is left out, and
 * others show that its absence heals. The program finds the first such seeds, and writes them into `noticed.ts` and `excused.ts`.
 */

const SEEDS_MAX = 3_000;
const HEALS_EACH = 2;

const noticed = new Map<string, number>();
const healed = new Map<string, readonly number[]>();
const healing = Object.keys(EXCUSED).filter((name) => EXCUSED[name]?.heals);

for (let seed = 1; seed <= SEEDS_MAX && isOpen(); seed++) await lookAt(seed);
write("../simulation/noticed.ts", noticed, (name, seed) => [
  new RegExp(`\\["${name}", \\d+,`),
  `["${name}", ${seed},`,
]);
write("./excused.ts", healed, (name, seeds) => [
  new RegExp(`("?${name}"?: \\{[^}]*?heals: )\\[[^\\]]*\\]`),
  `$1[${seeds.join(", ")}]`,
]);
for (const name of [...toNotice(), ...toHeal()]) {
  process.exitCode = 1;
  console.error(`${name}: none of ${SEEDS_MAX} seeds`);
}

function isOpen(): boolean {
  return toNotice().length + toHeal().length > 0;
}

function toNotice(): readonly string[] {
  return NOTICED.map(([name]) => name).filter((name) => !noticed.has(name));
}

function toHeal(): readonly string[] {
  return healing.filter((name) => (healed.get(name)?.length ?? 0) < HEALS_EACH);
}

async function lookAt(seed: number): Promise<void> {
  const deciding = await decidingIn(() => simulate({ seed }));
  const decides = (name: string) => decidersOf(name).some((each) => deciding.has(each));
  for (const name of toNotice().filter(decides))
    if (await isBroken(seed, name)) {
      noticed.set(name, seed);
      console.log(`${name}: seed ${seed} breaks`);
    }
  for (const name of toHeal().filter(decides))
    if (await heals(seed, name)) {
      healed.set(name, [...(healed.get(name) ?? []), seed]);
      console.log(`${name}: seed ${seed} heals`);
    }
}

/** Returns the names of the parts that decide a write of a run. */
async function decidingIn(run: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const end = observe((_, decision) => {
    if (decision) names.add(decision.name);
  });
  await run().finally(end);
  return names;
}

/** Returns true if a run without a part breaks, or ends with an error that no operation may end with. */
async function isBroken(seed: number, without: string): Promise<boolean> {
  return simulate({ seed, without }).then(
    ({ violations }) => violations.length > 0,
    () => true,
  );
}

/** Returns true if a run without a part decides by it, and still ends as it should. */
async function heals(seed: number, without: string): Promise<boolean> {
  let isWhole = false;
  const deciding = await decidingIn(async () => {
    const { violations } = await lackingPart(without, () => simulate({ seed, without }));
    isWhole = violations.length === 0;
  });
  return isWhole && deciding.has(without);
}

/** Replaces the seeds of a source file. */
function write<T>(
  file: string,
  found: ReadonlyMap<string, T>,
  replacing: (name: string, value: T) => readonly [RegExp, string],
): void {
  const path = new URL(file, import.meta.url);
  let text = readFileSync(path, "utf8");
  for (const [name, value] of found) text = text.replace(...replacing(name, value));
  writeFileSync(path, text);
}
