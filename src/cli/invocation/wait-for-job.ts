import type * as v from "valibot";
import type { jobRead } from "../../contract/answers/answers.ts";
import { path } from "../api/client.ts";
import type { Column } from "../output/column.ts";
import { progressing } from "../output/progress.ts";
import { tableText } from "../output/table.ts";
import { refusal } from "../shell/exit.ts";
import type { Session } from "./cli.ts";

export type Job = v.InferOutput<typeof jobRead>;

const LOOK_MS = 2_000;

export const JOB_COLUMNS: readonly Column<Job>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "BLOCKS", value: ({ progress }) => progress.last?.blocks, wide: true },
  { header: "TAKEN", value: ({ progress }) => progress.last?.taken, wide: true },
  { header: "COOLING", value: ({ progress }) => progress.last?.cooling, wide: true },
  { header: "CREATED", value: ({ createdAt }) => createdAt, wide: true },
  { header: "FINISHED", value: ({ finishedAt }) => finishedAt, wide: true },
  { header: "DETAIL", value: ({ detail }) => detail, wide: true },
];

/** Prints one job: as a table, and below it what it waits for or how it ended. */
export const printJob = ({ print }: Pick<Session, "print">, job: Job): void =>
  print({
    text: (layout) => {
      const table = tableText(JOB_COLUMNS, [job], layout);
      return layout.isWide ? table : `${table}\n${job.detail}\n`;
    },
    document: job,
    rows: [job],
    names: [job.id],
  });

/** Looks at a job again and again until it is over, however long that takes; says meanwhile what it waits for. */
export const follow = ({ io, client }: Session, begun: Job): Promise<Job> =>
  progressing(io, begun.detail, async (shown) => {
    let job = begun;
    while (job.state === "running") {
      await io.sleep(LOOK_MS);
      const { body } = await client.call<Job>({ method: "GET", path: path`/v1/jobs/${job.id}` });
      job = body;
      shown.update(job.detail);
    }
    return job;
  });

/** A job that is over and did not do what it was for is a refusal. */
export function checkDone({ id, state, detail }: Job): void {
  if (state === "failed" || state === "cancelled")
    throw refusal(
      `job_${state}`,
      `Job ${id} ${state === "failed" ? "failed" : "was cancelled"}: ${detail}`,
    );
}
