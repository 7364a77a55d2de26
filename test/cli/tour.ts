import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Started, start } from "../local/process.ts";
import { HANGS_MS } from "../patience.ts";
import { bundledProgram } from "../programs.ts";
import { differenceOf, type Step, stepsOf } from "./page.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = await readFile(join(ROOT, "docs/tour.md"), "utf8");
const STEPS = stepsOf(PAGE);
/** Commands whose changes take effect everywhere only after a while. */
const OPERATING = /^plat (configure|(pool|reservation|node|namespace) (apply|create|split))/;
/** The separator of the outputs of two commands; no command prints it. */
const MARK = "\u001e";

/** The place at which the tour runs. */
export interface Place {
  /** Returns the command that starts the server, with the options on the page. */
  readonly start: (options: readonly string[]) => readonly string[];
  /** Further arguments of `plat`, and variables of its environment. */
  readonly arguments?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Matches lines that are printed there, and not by `npm start` alone, because its requests are not signed. */
  readonly beside?: RegExp;
  /** The time until operators' changes take effect everywhere; absent if there is only one process. */
  readonly inForceSeconds?: number;
}

/** Types every command of the tour at a server, and makes a test for the output of each. */
export function goOnTour(place: Place): void {
  let folder: string;
  let server: Started;
  /** The output of each step, on stdout and on stderr; empty for steps that the tour did not reach. */
  const printed = new Map<Step, string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plat-"));
    const [, options] = /^npm start -- (.*)$/m.exec(PAGE) ?? [];
    if (options === undefined) throw new Error("The page does not say how the server is started.");
    server = await start([...place.start(options.split(" ")), "--port", "0"]);
    const program = await bundledProgram("src/cli/main.ts");
    const plat = join(folder, "plat");
    await writeFile(
      plat,
      `#!/bin/sh\nexec ${[process.execPath, program, ...(place.arguments ?? [])].join(" ")} "$@"\n`,
    );
    await chmod(plat, 0o755);
    await Promise.all(shells(STEPS).map(type));
  }, HANGS_MS);
  afterAll(async () => {
    server.process.kill();
    await server.ended;
    await rm(folder, { recursive: true });
  });

  /** Types commands into one shell, one after the other, until the time is over. */
  async function type(steps: readonly Step[]): Promise<void> {
    // Each command sees the exit code of the one before it.
    const lines = steps.map(({ command }) => {
      const wait = OPERATING.test(command) ? (place.inForceSeconds ?? 0) : 0;
      return `${command}\nstatus=$?; printf '${MARK}'; sleep ${wait}; (exit $status)\n`;
    });
    const shell = spawn("bash", ["-c", `exec 2>&1\n${lines.join("")}`], {
      cwd: folder,
      env: {
        ...place.variables,
        PATH: `${folder}:${process.env.PATH}`,
        HOME: folder,
        PLAT_ENDPOINT: server.url,
      },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: HANGS_MS,
    });
    const [out] = await Promise.all([text(shell.stdout), once(shell, "close")]);
    for (const [at, output] of out.split(MARK).slice(0, -1).entries())
      printed.set(steps[at] as Step, output);
  }

  it.each(STEPS)("docs/tour.md:$line shows what is printed", (step) => {
    const output = printed.get(step);
    if (output === undefined) throw new Error(`The tour did not come so far as: ${step.command}`);
    const lines = output.split("\n").filter((line) => !place.beside?.test(line));
    expect(differenceOf(step.shown, lines.join("\n"))).toBeUndefined();
  });

  it("leaves open few of its lines", () => {
    const lines = STEPS.flatMap(({ shown }) => shown);
    const open = lines.filter((line) => line.includes("…"));
    expect(open.length / lines.length).toBeLessThan(0.15);
  });
}

/**
 * Splits the steps into shells. Steps in an address space of their own depend on no earlier ones, so they have their
 * own shell.
 */
function shells(steps: readonly Step[]): readonly (readonly Step[])[] {
  const starts = steps.flatMap(({ command }, at) =>
    /^export PLAT_SPACE=/.test(command) ? at : [],
  );
  return [0, ...starts].map((start, n) => steps.slice(start, starts[n]));
}
