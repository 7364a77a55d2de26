import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tableText } from "../../src/local/tally.ts";
import {
  type Contestant,
  type ContestantName,
  ratiosOf,
  type Turn,
  withContestants,
} from "./contestants.ts";
import { assignToGetItem } from "./deployed.ts";
import { median } from "./turns.ts";

/** The ratios as they were when somebody last looked at them, and by how much they may get worse. */
interface Watched {
  readonly toleranceShare: number;
  readonly ratios: Readonly<Record<string, number>>;
}

const FILE = fileURLToPath(new URL("../watched.json", import.meta.url));
const ROUNDS = 7;
const TURN_MS = 1_000;
const WARM_UP_MS = 2_000;
const DEPLOYED_TURNS = 9;
const MANY = { callers: 64, hosts: 64 };
const NAMES = ["echo", "memory", "memory alone", "file", "file alone"] as const;
const COMPARED: readonly (readonly [ContestantName, ContestantName])[] = [
  ["memory", "echo"],
  ["file", "echo"],
  ["memory", "memory alone"],
  ["file", "file alone"],
];

/**
 * Measures a handful of ratios of processor time, which other work on the machine disturbs little, and compares them
 * with `bench/watched.json`.
 *
 * @returns a table of the ratios, and sentences about those that got worse than the tolerance allows
 */
export async function watch() {
  const { toleranceShare, ratios }: Watched = JSON.parse(await readFile(FILE, "utf8"));
  const measured = {
    ...(await served()),
    "assign to GetItem": await assignToGetItem(DEPLOYED_TURNS),
  };
  const rows = Object.entries(measured).map(([ratio, is]) => {
    const watched = ratios[ratio] ?? 0;
    return { ratio, is, watched, most: watched * (1 + toleranceShare) };
  });
  const text = tableText(
    rows.map(({ ratio, is, watched, most }) => ({
      "processor time of": ratio,
      is: is.toFixed(2),
      watched: watched.toFixed(2),
      "at most": most.toFixed(2),
    })),
  );
  const worse = rows
    .filter(({ is, most }) => is > most)
    .map(
      ({ ratio, is, most }) =>
        `The processor time of ${ratio} is ${is.toFixed(2)}, and may be ${most.toFixed(2)}.`,
    );
  return { text, worse };
}

/** Returns the ratios of the processor time that servers take for a pair. */
async function served(): Promise<Record<string, number>> {
  const turns = await withContestants(NAMES, async (contestants) => {
    for (const contestant of contestants) await contestant.turn(MANY, WARM_UP_MS);
    return inRounds(contestants);
  });
  return Object.fromEntries(
    COMPARED.map(([ours, theirs]) => [
      `${ours} to ${theirs}`,
      median(
        ratiosOf(turns.get(ours) ?? [], turns.get(theirs) ?? [], ({ processorMs }) => processorMs),
      ),
    ]),
  );
}

async function inRounds(contestants: readonly Contestant[]) {
  const turns = new Map<ContestantName, Turn[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const contestant of contestants)
      turns.set(contestant.name, [
        ...(turns.get(contestant.name) ?? []),
        await contestant.turn(MANY, TURN_MS),
      ]);
  return turns;
}
