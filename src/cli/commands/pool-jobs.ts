import { Command } from "commander";
import type * as v from "valibot";
import type { jobBegun } from "../../edge/answers.ts";
import { action, printing, type Session } from "../cli.ts";
import { type Path, path, type Request } from "../client.ts";
import type { Io } from "../io.ts";
import { checkDone, follow, JOB_COLUMNS } from "../job.ts";
import { matching } from "../resource/change.ts";
import { POOL, pathOf } from "../resource/kind.ts";

interface Options {
  readonly wait?: true;
  readonly dryRun?: true;
  /** Of a release of affinities only. */
  readonly mustBeEmpty?: true;
}

type Begun = v.InferOutput<typeof jobBegun>;

/** What takes longer with a pool than a request: each begins a job and prints it. */
export const poolJobCommands = (io: Io): readonly Command[] => [
  jobCommand(io, "delete", "deletes a pool once nothing of it is in use", (name) => ({
    method: "DELETE",
    path: pathOf(POOL, name),
  })),
  jobCommand(io, "drain", "gives no more addresses from a pool, and its blocks up", (name) => ({
    method: "POST",
    path: path`/v1/pools/${name}/drain`,
  })),
  jobCommand(
    io,
    "release-affinities",
    "takes the blocks of a pool from their hosts; it serves on",
    (name) => ({ method: "POST", path: path`/v1/pools/${name}/release-affinities` }),
  ).option("--must-be-empty", "only those of blocks without addresses"),
];

const jobCommand = (
  io: Io,
  verb: string,
  description: string,
  request: (name: string) => { readonly method: Request["method"]; readonly path: Path },
): Command =>
  printing(new Command(verb))
    .description(description)
    .argument("<name>")
    .option("--wait", "until the job is over")
    .option("--dry-run", "only shows the job that would begin")
    .action(
      action(io, async (session: Session, { wait, dryRun, mustBeEmpty }: Options, name: string) => {
        const { client, print } = session;
        const seen = await client.call({ method: "GET", path: pathOf(POOL, name) });
        const { body } = await client.call<Begun>({
          ...request(name),
          query: { dryRun, mustBeEmpty },
          ...matching(seen),
        });
        const job = wait && !dryRun ? await follow(session, body.job) : body.job;
        print({ columns: JOB_COLUMNS, rows: [job], document: job });
        checkDone(job);
      }),
    );
