import type { Command } from "commander";
import type * as v from "valibot";
import type { affinitiesReleased } from "../../contract/answers/answers.ts";
import { found, pages, path } from "../api/client.ts";
import { releaseHost } from "../api/releases.ts";
import { action, type Session } from "../invocation/cli.ts";
import { progressing, told } from "../output/progress.ts";
import { deleteAsSeen, deletion } from "../resource/delete.ts";
import { NODE } from "../resource/kind.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

type Page = v.InferOutput<typeof affinitiesReleased>;

/** What whoever hears that a machine is gone sends: the end of its registration, and of all that it has. */
export const nodeDeleteCommand = (io: Io): Command =>
  deletion(NODE)
    .addHelpText(
      "after",
      examples(
        ["Remove the registration of a host", "plat node delete node-1"],
        ["Also release everything that the host has", "plat node delete node-1 --release"],
      ),
    )
    .option("--release", "Also release all addresses and blocks of the host, registered or not")
    .action(
      action(io, async (session: Session, { release }: { release?: true }, name: string) => {
        const deleting = deleteAsSeen(session, NODE, name);
        if (!release) return deleting;
        await found(deleting);
        await releaseAll(session, name);
      }),
    );

/** Addresses first: a block that is taken from its host while it is in use serves on until they have cooled. */
async function releaseAll({ client, io }: Session, host: string): Promise<void> {
  const addresses: string[] = [];
  const blocks: string[] = [];
  let left: string[] = [];
  await told(
    addresses,
    () =>
      io.out(
        `${counted(addresses.length, "address", "addresses")} and ${counted(blocks.length, "block", "blocks")} of ${host} released\n`,
      ),
    () =>
      progressing(io, `addresses of ${host}`, async () => {
        for await (const { released, unreadable = [] } of releaseHost(client, { host })) {
          addresses.push(...released);
          // Of the last answer alone: an earlier one may name what could be read later.
          left = unreadable.map(({ item }) => item);
        }
        const route = path`/v1/nodes/${host}/affinities`;
        for await (const { affinities } of pages<Page>(client, route, {}, "DELETE"))
          for (const { cidr, status } of affinities)
            if (status === "deleted" || status === "disowned") blocks.push(cidr);
            else if (status !== "not_owned") left.push(cidr);
      }),
  );
  if (left.length === 0) return;
  throw new CommandError(
    EXIT.refused,
    `What ${host} has in ${[...new Set(left)].join(", ")} stays: it kept changing, or cannot be read.`,
  );
}

const counted = (count: number, one: string, many: string) =>
  `${count} ${count === 1 ? one : many}`;
