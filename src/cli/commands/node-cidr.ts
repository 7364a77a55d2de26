import { Command, Option } from "commander";
import type { Answer, Parameters } from "../../client/index.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import { ALLOCATORS } from "../../nouns/node/prefixes.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { cidrIn, count, texts } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { rejectionError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { holderOf } from "../space/blocks.ts";

const UID = "The uid of the Node object";

/** Makes the commands for the prefixes of nodes, which Kubernetes calls pod CIDRs. */
export const nodeCidrCommand = (io: Io): Command =>
  new Command("cidr")
    .description("Show, assign and release the prefixes of a node")
    .addHelpText(
      "after",
      examples(
        ["Show the prefixes of a node", "plat node cidr get node-1"],
        ["Give a node its prefixes", "plat node cidr ensure node-1 --uid 8f3e"],
        ["Release the prefixes of a node that is gone", "plat node cidr release node-1 --uid 8f3e"],
      ),
    )
    .addCommand(
      printing(getVerb())
        .description("Show the prefixes of a node")
        .argument("<node>", "The node")
        .option("--uid <uid>", `${UID}, to leave out other nodes of that name`)
        .addHelpText(
          "after",
          examples(["Show the prefixes of a node", "plat node cidr get node-1"]),
        )
        .action(action(io, get)),
    )
    .addCommand(
      printing(new Command("ensure"))
        .description("Ensure that a node has a prefix of each family, or those that it states")
        .argument("<node>", "The node")
        .requiredOption("--uid <uid>", UID)
        .option("--cidr <cidr>", "A prefix that the Node object has; repeatable", texts)
        .option("--alias <cidr>", "A prefix that the cloud provider has for it; repeatable", texts)
        .addOption(
          new Option("--allocator <name>", "How the cluster gives nodes prefixes").choices(
            ALLOCATORS,
          ),
        )
        .option("--pool <pool or CIDR>", "Only from this pool; repeatable", texts)
        .option("--confirm-seconds <n>", "How long the node has to state a new prefix", count)
        .addHelpText(
          "after",
          examples(
            ["Give a node its prefixes", "plat node cidr ensure node-1 --uid 8f3e"],
            [
              "Confirm the prefix that a Node object has",
              "plat node cidr ensure node-1 --uid 8f3e --cidr 10.64.3.0/24",
            ],
          ),
        )
        .action(action(io, ensure)),
    )
    .addCommand(
      withConfirmation(
        printing(new Command("release"))
          .description("Release the prefixes of a node, or one of them")
          .argument("<node>", "The node")
          .requiredOption("--uid <uid>", UID)
          .option("--cidr <cidr>", "Only this prefix", cidrIn),
        "Show the prefixes, and release none",
      )
        .addHelpText(
          "after",
          examples([
            "Release the prefixes of a node that is gone",
            "plat node cidr release node-1 --uid 8f3e",
          ]),
        )
        .action(action(io, release)),
    );

/** A prefix of a node. Those of one uid are told without it. */
type NodeCidr = Omit<Answer<"listPodCidrs">["podCIDRs"][number], "uid"> & { readonly uid?: string };

const COLUMNS: readonly Column<NodeCidr>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt },
];
const OF_UIDS: readonly Column<NodeCidr>[] = [
  ...COLUMNS,
  { header: "UID", value: ({ uid }) => uid, long: "cut" },
];

async function get(
  { client, print }: Session,
  { uid }: { readonly uid?: string },
  node: string,
): Promise<void> {
  const { body: document } = await client.listPodCidrs({ node, uid });
  print({ columns: OF_UIDS, rows: document.podCIDRs, document });
}

interface EnsureOptions {
  readonly uid: string;
  readonly cidr?: readonly string[];
  readonly alias?: readonly string[];
  readonly allocator?: Parameters<"ensurePodCidrs">["body"]["allocator"];
  readonly pool?: readonly string[];
  readonly confirmSeconds?: number;
}

async function ensure(
  { client, print, io }: Session,
  { cidr: podCIDRs, alias: aliases, pool: pools, ...said }: EnsureOptions,
  node: string,
): Promise<void> {
  const { uid, allocator, confirmSeconds } = said;
  const { body: document } = await client.ensurePodCidrs({
    node,
    body: { uid, podCIDRs, aliases, allocator, pools, confirmSeconds },
  });
  print({ columns: COLUMNS, rows: document.podCIDRs, document });
  const { write = {}, event } = document;
  if (write.node) io.err(`Write to the Node object: ${write.node.join(", ")}\n`);
  if (write.cloud) io.err(`Write to the cloud provider: ${write.cloud.join(", ")}\n`);
  if (event) io.err(`${event.reason}: ${event.message}\n`);
}

async function release(
  session: Session,
  options: ConfirmOptions & { readonly uid: string; readonly cidr?: Cidr },
  node: string,
): Promise<void> {
  const { client, print } = session;
  const { uid, cidr: named, dryRun } = options;
  const cidr = named && formatCidr(named);
  const confirm = confirmation(session, options);
  const preview = async () => {
    const { body } = await client.listPodCidrs({ node, uid });
    const own = body.podCIDRs.filter((each) => cidr === undefined || each.cidr === cidr);
    if (cidr !== undefined && own.length === 0) rejectHeld(cidr, await holderOf(client, cidr));
    return own;
  };
  if (dryRun) {
    const rows = await preview();
    return print({ columns: COLUMNS, rows, document: { podCIDRs: rows } });
  }
  await confirm(async () => {
    const prefixes = counted((await preview()).length, "prefix", "prefixes");
    return `Release ${prefixes} of node ${node}? Make sure that no pod uses addresses in them.`;
  });
  const { body: document } = await client.releasePodCidrs({ node, uid, cidr });
  const { released } = document;
  print({
    text: () => `${counted(released.length, "prefix", "prefixes")} of ${node} released\n`,
    document,
    names: released,
  });
}

/** Rejects a prefix that another owner has, as its release does. */
function rejectHeld(cidr: string, holder: string | undefined): void {
  if (holder === undefined) return;
  throw rejectionError("generation_conflict", `Prefix ${cidr} is assigned to ${holder}.`);
}
