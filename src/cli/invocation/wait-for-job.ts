import type { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { progressing } from "../output/progress.ts";
import { type Column, sentenceText, tableText } from "../output/table.ts";
import { CommandError, EXIT, rejectionError, usageError } from "../shell/exit.ts";
import { commandErrorOf } from "../shell/failed-call.ts";
import { abortable } from "../shell/interrupt.ts";
import { lineOf } from "../shell/text.ts";
import type { DryRunOption, Session } from "./cli.ts";
import { type Duration, duration } from "./options.ts";

export type JobRead = Answer<"readJob">;

export const JOB_COLUMNS: readonly Column<JobRead>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "BLOCKS", value: ({ progress }) => progress.last?.blocks, wide: true },
  { header: "TAKEN", value: ({ progress }) => progress.last?.taken, wide: true },
  { header: "COOLING", value: ({ progress }) => progress.last?.cooling, wide: true },
  { header: "REMOVED", value: ({ progress }) => progress.removed, wide: true },
  { header: "CREATED", value: ({ createdAt }) => createdAt, wide: true },
  { header: "FINISHED", value: ({ finishedAt }) => finishedAt, wide: true },
  { header: "DETAIL", value: ({ detail }) => detail, wide: true },
];

/**
 * Prints one job: as a table, and below it the reason for waiting or the result. That of a dry run is printed without its id: no job
 * would have it, or one that goes on without this command.
 */
export function printJob(
  { print }: Pick<Session, "print">,
  { id, ...job }: JobRead,
  { dryRun }: DryRunOption = {},
): void {
  print({
    text: (layout) => {
      const table = tableText(
        dryRun ? JOB_COLUMNS.slice(1) : JOB_COLUMNS,
        [{ id, ...job }],
        layout,
      );
      return layout.isWide ? table : `${table}\n${sentenceText(job.detail, layout)}`;
    },
    document: dryRun ? job : { id, ...job },
    rows: [dryRun ? job : { id, ...job }],
    names: dryRun ? [] : [id],
  });
}

const LOOK_MS = 2_000;

export const TIMEOUT_HELP =
  "How long to wait at most, such as 90s, 10m or 1h30m; for ever by default";

/**
 * Reads a job repeatedly until it ends, and shows why it waits.
 *
 * @param timeout the maximum wait; unlimited without one
 * @throws CommandError if the time is over (timedOut), Ctrl-C was pressed (interrupted), or the API fails. The job
 *   continues in each case, and the message names it
 */
export async function follow(
  { io, client }: Pick<Session, "io" | "client">,
  begun: JobRead,
  timeout: Duration | undefined,
): Promise<JobRead> {
  const untilMs = timeout ? io.nowMs() + timeout.ms : Number.POSITIVE_INFINITY;
  const goesOn = `The job goes on. See it with \`${lineOf(["job", "get", begun.id], client.space)}\`; repeat the command to wait again.`;
  const following = (signal: AbortSignal) =>
    progressing(io, begun.detail, async (shown) => {
      let job = begun;
      while (job.state === "running") {
        const leftMs = untilMs - io.nowMs();
        if (leftMs <= 0)
          throw new CommandError(
            EXIT.timedOut,
            `Job ${job.id} is not done after ${timeout?.text}: ${job.detail}`,
          );
        await io.sleep(Math.min(LOOK_MS, leftMs), signal);
        job = (await client.readJob({ id: job.id, signal })).body;
        shown.update(job.detail);
      }
      return job;
    });
  try {
    return await abortable(io, `Interrupted while waiting for job ${begun.id}.`, following);
  } catch (error) {
    const failed = commandErrorOf(error);
    if (!failed || failed.exit === EXIT.rejected) throw error;
    throw new CommandError(failed.exit, `${failed.message}\n${goesOn}`);
  }
}

/** The options of a command that waits for its jobs on request. */
export interface WaitOptions {
  readonly wait?: true;
  readonly timeout?: Duration;
}

/** Adds these options to a command. */
export const withWait = (command: Command, what: string): Command =>
  command.option("--wait", what).option("--timeout <duration>", TIMEOUT_HELP, duration);

/** Waits for the job that a command began, if its options ask for that, and prints it. Errors: it ended without success. */
export async function endWithJob(
  session: Pick<Session, "io" | "client" | "print">,
  begun: JobRead,
  { wait, timeout, dryRun }: WaitOptions & DryRunOption,
): Promise<void> {
  const job = wait && !dryRun ? await follow(session, begun, timeout) : begun;
  printJob(session, job, { dryRun });
  checkDone(job);
}

/** Checks `--timeout` of a command that waits only on request. */
export function checkTimeout({ wait, timeout }: WaitOptions): void {
  if (timeout && !wait) throw usageError("--timeout needs --wait.");
}

/** Rejects if a job ended without success. */
export function checkDone({ id, state, detail }: JobRead): void {
  if (state === "failed" || state === "cancelled")
    throw rejectionError(
      `job_${state}`,
      `Job ${id} ${state === "failed" ? "failed" : "was cancelled"}: ${detail}`,
    );
}
