import { readFileSync, writeFileSync } from "node:fs";
import { NOTICED, SAMPLE_RUNS } from "../simulation/noticed.ts";
import { REJECTIONS } from "../simulation/report.ts";
import { simulate } from "../simulation/run.ts";
import { EXCUSED } from "./excused.ts";
import { observe } from "./observed.ts";
import { decidersOf, lackingPart } from "./parts.ts";

/**
 * The program of `npm run redraw`. A change of what the simulation draws makes other seeds notice that a clause is left out, and
 * others show that its absence heals. Other runs meet the rejections that the sample of `npm test` does not. The program finds the first such
 * seeds, and writes them into `noticed.ts`, `excused.ts` and `docs/verification.md`.
 */

const SEEDS_MAX = 6_000;
const HEALS_EACH = 2;

const noticed = new Map<string, number>();
/** The first seed that meets each rejection. */
const met = new Map<string, number>();
const healed = new Map<string, readonly number[]>();
const healing = Object.keys(EXCUSED).filter((name) => EXCUSED[name]?.heals);

for (let seed = 1; seed <= SEEDS_MAX && isOpen(); seed++) await lookAt(seed);
write("../simulation/noticed.ts", noticed, (name, seed) => [
  new RegExp(`\\["${name}", \\d+,`),
  `["${name}", ${seed},`,
]);
const unmet = [...met].filter(([, seed]) => seed > SAMPLE_RUNS).toSorted();
write("../simulation/noticed.ts", new Map([["MET_BY", unmet]]), (name, seeds) => [
  new RegExp(`(${name}: .* = )\\{[^}]*\\}`),
  `$1{\n${seeds.map(([code, seed]) => `  ${code}: ${seed},\n`).join("")}}`,
]);
write("../../docs/verification.md", noticed, (name, seed) => [
  new RegExp(
    { "take-epoch": "seed \\d+ breaks", "unknown-fence": "seed \\d+ as well" }[name] ?? "$^",
  ),
  `seed ${seed} ${name === "take-epoch" ? "breaks" : "as well"}`,
]);
write("./excused.ts", healed, (name, seeds) => [
  new RegExp(`("?${name}"?: \\{[^}]*?heals: )\\[[^\\]]*\\]`),
  `$1[${seeds.join(", ")}]`,
]);
for (const name of [...toNotice(), ...toHeal(), ...toMeet()]) {
  process.exitCode = 1;
  console.error(`${name}: none of ${SEEDS_MAX} seeds`);
}

function isOpen(): boolean {
  return toNotice().length + toHeal().length + toMeet().length > 0;
}

function toMeet(): readonly string[] {
  return REJECTIONS.filter((code) => !met.has(code));
}

function toNotice(): readonly string[] {
  return NOTICED.map(([name]) => name).filter((name) => !noticed.has(name));
}

function toHeal(): readonly string[] {
  return healing.filter((name) => (healed.get(name)?.length ?? 0) < HEALS_EACH);
}

async function lookAt(seed: number): Promise<void> {
  const deciding = await decidingIn(async () => {
    const { seen } = await simulate({ seed });
    for (const [what] of seen) {
      const [kind, code = ""] = what.split(": ");
      if (kind === "answer" && toMeet().includes(code)) met.set(code, seed);
    }
  });
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
