import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { asSeen } from "../../client/request.ts";
import { POOL as FIELDS } from "../../nouns/pool/contract/request.ts";
import {
  action,
  type DryRunOption,
  dryRunMark,
  printing,
  type Session,
  withDryRun,
} from "../invocation/cli.ts";
import { withWait } from "../invocation/wait-for-job.ts";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { createCommand } from "../resource/create.ts";
import { getCommand } from "../resource/get.ts";
import { POOL_RESOURCE, titled } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import type { PoolRead } from "../space/configuration.ts";
import { knownIn } from "../space/lists.ts";
import { poolJobCommands } from "./pool-jobs.ts";

export function poolCommand(io: Io): Command {
  const command = new Command("pool")
    .description("Show, create and change pools of addresses")
    .addHelpText(
      "after",
      examples(
        ["Show the pools of the space", "plat pool get"],
        ["Create a pool", "plat pool create default-ipv4 --cidr 10.0.0.0/16"],
        ["Create and change pools from a file", "plat pool apply -f ippools.yaml"],
        [
          "Create a pool of prefixes for the pods of nodes",
          "plat pool create pods --cidr 10.128.0.0/14 --assign prefixes",
        ],
        [
          "Stop assigning from a pool, and wait until it is empty",
          "plat pool drain default-ipv4 --wait",
        ],
        ["Undo a drain", "plat pool enable default-ipv4"],
      ),
    )
    .addCommand(getCommand(io, POOL_RESOURCE, POOL_COLUMNS))
    .addCommand(
      withWait(
        applyCommand(io, POOL_RESOURCE),
        "Wait until the addresses taken out are free for other pools",
      ),
    )
    .addCommand(
      createCommand(
        io,
        POOL_RESOURCE,
        FIELDS,
        "Create a pool",
        ["Create an IPv4 pool", "plat pool create default-ipv4 --cidr 10.0.0.0/16"],
        ["Create an IPv6 pool", "plat pool create default-ipv6 --cidr fd00:10::/64"],
        [
          "Create a pool of some addresses of a network",
          "plat pool create red --cidr 10.9.0.0/24 --ranges 10.9.0.10-10.9.0.99",
        ],
        [
          "Create a pool of a subnet for virtual machines",
          "plat pool create lan --cidr 10.1.0.0/24 --kind subnet --gateway 10.1.0.1",
        ],
        [
          "Create a pool for hosts with a label",
          `plat pool create gpu --cidr 10.1.0.0/16 --node-selector 'gpu == "true"'`,
        ],
      ),
    )
    .addCommand(poolEnableCommand(io))
    .addCommand(poolHistoryCommand(io));
  for (const one of poolJobCommands(io)) command.addCommand(one);
  return command;
}

export const POOL_COLUMNS: readonly Column<PoolRead>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "ASSIGNS", value: ({ assign }) => assign, wide: true },
  { header: "PARENT", value: ({ parent }) => parent, wide: true },
  { header: "BLOCKSIZE", value: ({ blockSize }) => blockSize },
  { header: "DISABLED", value: ({ disabled }) => disabled },
  { header: "STATE", value: ({ state }) => state, wide: "if empty", isState: true },
  { header: "ASSIGNMENT", value: ({ assignmentMode }) => assignmentMode, wide: true },
  { header: "USES", value: ({ allowedUses }) => allowedUses?.join(", "), wide: true },
  { header: "RANGES", value: ({ ranges }) => ranges?.join(", "), wide: true },
  { header: "KIND", value: ({ kind }) => kind, wide: true },
  { header: "GATEWAY", value: ({ gateway }) => gateway, wide: true },
  { header: "NODESELECTOR", value: ({ nodeSelector }) => nodeSelector, wide: true },
];

/** Returns `enable NAME`, which undoes `drain NAME`. */
const poolEnableCommand = (io: Io): Command =>
  withDryRun(
    new Command("enable")
      .description("Assign from a drained or disabled pool again; this cancels its drain")
      .argument("<pool>", "Name of the pool"),
    "Say what would change, and change nothing",
  )
    .addHelpText("after", examples(["Undo a drain", "plat pool enable default-ipv4"]))
    .action(action(io, enable));

/** Enables the pool as it was read, so that it does not overwrite a concurrent change. */
async function enable(
  { io, client }: Session,
  { dryRun }: DryRunOption,
  name: string,
): Promise<void> {
  const seen = await client.readPool({ name });
  const { state, job: _, ...pool } = seen.body;
  if (!pool.disabled && state === undefined)
    return io.out(`${titled(POOL_RESOURCE, name)} is already enabled\n`);
  const { items: jobs } = await knownIn(client.pages.listJobs(), ({ jobs }) => jobs);
  const drains = jobs.filter(
    ({ pool, kind, state }) => pool === name && kind === "pool.drain" && state === "running",
  );
  const { body } = await client.putPool({
    name,
    dryRun,
    body: { ...pool, disabled: false },
    ...asSeen(seen),
  });
  io.out(`${titled(POOL_RESOURCE, name)} enabled${dryRunMark({ dryRun })}\n`);
  if (body.effectiveAt !== undefined) io.out(`Takes effect everywhere by ${body.effectiveAt}\n`);
  for (const { id } of drains)
    io.err(`Note: this ${dryRun ? "would cancel its drain" : `cancels job ${id}`}.\n`);
}

const poolHistoryCommand = (io: Io): Command =>
  printing(new Command("history"))
    .description("Show the use of a pool over time, and when the pool is full")
    .argument("<pool>", "Name of the pool")
    .addHelpText(
      "after",
      examples(["Show the use of a pool in the last month", "plat pool history default-ipv4"]),
    )
    .action(action(io, show));

const COLUMNS: readonly Column<Answer<"readPoolHistory">["samples"][number]>[] = [
  { header: "AT", value: ({ at }) => at },
  { header: "IN USE", value: ({ inUse }) => String(inUse) },
  { header: "AVAILABLE", value: ({ available }) => String(available) },
  { header: "ASSIGNABLE", value: ({ assignable }) => String(assignable) },
];

async function show(
  { io, client, print }: Session,
  _options: unknown,
  name: string,
): Promise<void> {
  const document = (await client.readPoolHistory({ name })).body;
  print({ columns: COLUMNS, rows: document.samples, document });
  const { percentUsed, exhaustedAt } = document;
  if (percentUsed === undefined)
    io.err(`Note: pool ${name} has not been counted yet. The first count ends within minutes.\n`);
  else
    io.err(
      `Note: ${percentUsed} % is in use or cooling. ${
        exhaustedAt
          ? `At this rate the pool is full at ${exhaustedAt}.`
          : "No exhaustion is forecast."
      }\n`,
    );
}
