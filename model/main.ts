import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { CONFIGURATIONS } from "./configurations.ts";
import { type Found, findPrograms, type Search, withVerifier } from "./search.ts";

/**
 * `npm run model`: searches every state of each configuration of the protocol, as designed and with one rule, or one clause or
 * step of a rule, taken out. As designed it must hold; without a rule it must break, but where `docs/protocol.md` says what
 * else covers it. `--only I3` searches one configuration, and `--without take_epoch` tells what goes wrong without one thing.
 */
const { values } = parseArgs({
  options: { only: { type: "string" }, without: { type: "string" } },
});
const chosen = CONFIGURATIONS.filter(({ name }) => (values.only ?? name) === name);
if (chosen.length === 0) {
  const names = CONFIGURATIONS.map(({ name }) => name).join(", ");
  console.error(`--only is "${values.only}"; it must be one of ${names}.`);
  process.exit(2);
}

const lines: Record<string, string | number>[] = [];
const failures: string[] = [];
try {
  await findPrograms();
  for (const configuration of chosen) {
    const { name, breaks, holds } = configuration;
    await withVerifier(configuration, async (search) => {
      if (values.without !== undefined) return tell(name, values.without, search);
      judge(name, "", false, await search());
      for (const without of breaks) judge(name, without, true, await search(without));
      for (const without of holds) judge(name, without, false, await search(without));
    });
  }
} catch (error) {
  failures.push((error as Error).message);
}
if (lines.length > 0) console.log(tableText(lines));
for (const failure of failures) console.error(`FAILED: ${failure}`);
if (failures.length === 0 && values.without === undefined)
  console.log("Every search ended, and came out as it must.");
process.exitCode = failures.length === 0 ? 0 : 1;

/** Numbers are processes, in the order in which they were begun; 0 is what was on the wire. */
async function tell(configuration: string, without: string, search: Search): Promise<void> {
  const { broken, story, states } = await search(without);
  for (const line of story) console.log(line);
  const outcome = broken ? "breaks" : "holds";
  console.log(`${configuration} without ${without}: ${outcome}, ${states} states`);
}

function judge(configuration: string, without: string, mustBreak: boolean, result: Found): void {
  const { broken, story: _, ...figures } = result;
  const outcome = broken ? "breaks" : "holds";
  lines.push({ configuration, without, outcome, ...figures });
  const left = without === "" ? "as designed" : `without ${without}`;
  console.error(`${configuration} ${left}: ${outcome}, ${figures.states} states`);
  if (broken !== mustBreak)
    failures.push(`${configuration} ${left} ${outcome}, and must ${mustBreak ? "break" : "hold"}`);
}
