import { Command } from "commander";
import type { Answer, PlatClient, Reply } from "../../client/index.ts";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import {
  checkTimeout,
  endWithJob,
  type WaitOptions,
  withWait,
} from "../invocation/wait-for-job.ts";
import { counted } from "../output/count.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { assignedInPool } from "../space/usage.ts";

interface Options extends ConfirmOptions, WaitOptions {
  /** True only for a release of affinities. */
  readonly mustBeEmpty?: true;
}

interface Work {
  /** Returns the question before the action, about the pool with its range and its addresses. */
  readonly question: (pool: string, mustBeEmpty?: true) => string;
  readonly begin: (client: PlatClient, given: Given) => Promise<Reply<Begun>>;
}

type Begun = Answer<"drainPool">;

/** The parameters of a request that starts a job. */
interface Given {
  readonly name: string;
  readonly dryRun?: true | undefined;
  readonly mustBeEmpty?: true | undefined;
  readonly ifMatch?: string | undefined;
}

/** Makes the commands for long changes of a pool: each starts a job and prints it. */
export const poolJobCommands = (io: Io): readonly Command[] => [
  jobCommand(
    io,
    "drain",
    "Stop assigning from a pool, and delete its blocks as they become empty; `plat pool enable` undoes it",
    {
      question: (pool) => `Drain ${pool}? It will stop assigning addresses.`,
      begin: (client, { name, dryRun, ifMatch }) => client.drainPool({ name, dryRun, ifMatch }),
    },
  ).addHelpText(
    "after",
    examples(
      ["Start to drain a pool", "plat pool drain default-ipv4"],
      ["Wait until all of its addresses are released", "plat pool drain default-ipv4 --wait"],
    ),
  ),
  jobCommand(io, "delete", "Delete a pool in which no address is assigned", {
    question: (pool) => `Delete ${pool}?`,
    begin: (client, { name, dryRun, ifMatch }) => client.deletePool({ name, dryRun, ifMatch }),
  }).addHelpText(
    "after",
    examples(
      ["Delete a pool", "plat pool delete default-ipv4"],
      ["Wait until its name and its range are free", "plat pool delete default-ipv4 --wait"],
    ),
  ),
  jobCommand(
    io,
    "release-affinities",
    "Take the blocks of a pool from their hosts; the pool keeps serving",
    {
      question: (pool, mustBeEmpty) =>
        `Take ${mustBeEmpty ? "the empty" : "all"} blocks of ${pool} from their hosts?`,
      begin: (client, { name, dryRun, mustBeEmpty }) =>
        client.releasePool({ name, dryRun, mustBeEmpty }),
    },
  )
    .option("--must-be-empty", "Only blocks without addresses")
    .addHelpText(
      "after",
      examples(
        ["Take all blocks from their hosts", "plat pool release-affinities default-ipv4"],
        [
          "Take only the empty blocks",
          "plat pool release-affinities default-ipv4 --must-be-empty --wait",
        ],
      ),
    ),
];

const jobCommand = (
  io: Io,
  verb: string,
  description: string,
  { question, begin }: Work,
): Command =>
  withWait(
    ignoringNotFound(
      withConfirmation(
        printing(new Command(verb)).description(description).argument("<pool>", "Name of the pool"),
        "Show the job that would start, and start nothing",
      ),
    ),
    "Wait until the job is over",
  ).action(
    action(io, async (session: Session, options: Options, name: string) => {
      const { dryRun, mustBeEmpty } = options;
      checkTimeout(options);
      const confirm = confirmation(session, options);
      const { client } = session;
      const seen = await client.readPool({ name });
      if (!dryRun)
        await confirm(async () => {
          const assigned = await assignedInPool(client, name);
          const what = `pool ${name} (${seen.body.cidr}, ${counted(assigned, "address", "addresses")} assigned)`;
          return question(what, mustBeEmpty);
        });
      const { body } = await begin(client, { name, dryRun, mustBeEmpty, ifMatch: seen.etag });
      await endWithJob(session, body.job, options);
    }),
  );
