import { Command } from "commander";
import { action, type DryRunOption, markOf, type Session, withDryRun } from "../invocation/cli.ts";
import type { Job } from "../invocation/wait-for-job.ts";
import { asSeen } from "../resource/change.ts";
import { POOL, titled } from "../resource/kind.ts";
import { listKnown } from "../resource/list.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** Returns `enable NAME`, which undoes `drain NAME`. */
export const poolEnableCommand = (io: Io): Command =>
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
    return io.out(`${titled(POOL, name)} is already enabled\n`);
  const drains = (await listKnown<Job>(client, { plural: "jobs" })).bodies.filter(
    ({ pool, kind, state }) => pool === name && kind === "pool.drain" && state === "running",
  );
  const { body } = await client.putPool({
    name,
    dryRun,
    body: { ...pool, disabled: false },
    ...asSeen(seen),
  });
  io.out(`${titled(POOL, name)} enabled${markOf({ dryRun })}\n`);
  if (body.effectiveAt !== undefined) io.out(`In force everywhere from ${body.effectiveAt} on\n`);
  for (const { id } of drains)
    io.err(`Note: this ${dryRun ? "would cancel its drain" : `cancels job ${id}`}.\n`);
}
