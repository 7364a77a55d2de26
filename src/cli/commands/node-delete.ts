import type { Command } from "commander";
import { found } from "../../client/index.ts";
import { action, dryRunMark, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation } from "../invocation/confirm.ts";
import { counted } from "../output/count.ts";
import { progressing, tellingResult } from "../output/progress.ts";
import { deleteAsSeen, deletion } from "../resource/delete.ts";
import { NODE_RESOURCE } from "../resource/kind.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { knownBlocks } from "../space/blocks.ts";
import { addressesOfHost } from "../space/handles.ts";
import { rejectUnread } from "../space/lists.ts";
import { releaseHost } from "../space/releases.ts";
import { isKept } from "./release-preview.ts";

/** Makes the command for a deleted machine: it removes the registration, and with `--release` all addresses and blocks. */
export const nodeDeleteCommand = (io: Io): Command =>
  deletion(NODE_RESOURCE)
    .description("Remove the registration of a host")
    .addHelpText(
      "after",
      examples(
        ["Remove the registration of a host", "plat node delete node-1"],
        ["Also release everything that the host has", "plat node delete node-1 --release"],
      ),
    )
    .option("--release", "Also release all addresses and blocks of the host, registered or not")
    .action(action(io, deleteNode));

interface Options extends ConfirmOptions {
  readonly release?: true;
}

async function deleteNode(session: Session, options: Options, name: string): Promise<void> {
  const confirm = confirmation(session, options);
  if (!options.release)
    return deleteAsSeen(session, NODE_RESOURCE, name, options, () =>
      confirm(`Delete node ${name}?`),
    );
  const { io, client } = session;
  const holdings = async () => {
    const [addresses, blocks] = await Promise.all([
      addressesOfHost(client, name),
      knownBlocks(client, { host: name, affinityType: "host" }),
    ]);
    const own = blocks.items.filter(({ unit, borrowed }) => unit !== "prefixes" && !borrowed);
    const held = amounts(addresses.items.filter((one) => !isKept(one)).length, own.length);
    return { held, unreadable: [...addresses.unreadable, ...blocks.unreadable] };
  };
  if (!options.dryRun)
    await confirm(async () => `Delete node ${name}, and release its ${(await holdings()).held}?`);
  // A host can have addresses without a registration.
  await found(deleteAsSeen(session, NODE_RESOURCE, name, options));
  if (!options.dryRun) return releaseAll(session, name);
  const { held, unreadable } = await holdings();
  io.out(`${held} of ${name} released${dryRunMark(options)}\n`);
  rejectUnread(unreadable);
}

const amounts = (addresses: number, blocks: number) =>
  `${counted(addresses, "address", "addresses")} and ${counted(blocks, "block")}`;

/**
 * Releases everything of a host, addresses first. A block that loses its owner while it is in use keeps its
 * assignments, so the blocks go after the cooldown.
 */
async function releaseAll({ client, io }: Session, host: string): Promise<void> {
  const done: ("address" | "block")[] = [];
  const countOf = (kind: (typeof done)[number]) => done.filter((one) => one === kind).length;
  const kept = new Set<string>();
  let left: string[] = [];
  await tellingResult(
    io,
    done,
    () => io.out(`${amounts(countOf("address"), countOf("block"))} of ${host} released\n`),
    (untilInterrupted) =>
      progressing(io, `addresses of ${host}`, async () => {
        for await (const answer of untilInterrupted(releaseHost(client, { host }))) {
          const { released, unreadable = [] } = answer;
          for (const _ of released) done.push("address");
          for (const address of "kept" in answer ? answer.kept : []) kept.add(address);
          // Uses the last answer alone, because an earlier one may name items that could be read later.
          left = unreadable.map(({ item }) => item);
        }
        const pages = client.pages.releaseAffinities({ node: host });
        for await (const { affinities } of untilInterrupted(pages))
          for (const { cidr, status } of affinities)
            if (status === "deleted" || status === "disowned") done.push("block");
            else if (status !== "not_owned") left.push(cidr);
      }),
  );
  if (kept.size > 0)
    io.err(
      `Note: instances keep ${counted(kept.size, "address", "addresses")} of ${host}: ${[...kept].join(", ")}.\n`,
    );
  if (left.length === 0) return;
  throw new CommandError(
    EXIT.rejected,
    `Host ${host} keeps its addresses in ${[...new Set(left)].join(", ")}, because these kept changing or cannot be read.`,
  );
}
