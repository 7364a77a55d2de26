import { Command, Option } from "commander";
import type * as v from "valibot";
import type { poolRead } from "../../contract/answers/answers.ts";
import { ASSIGNMENT_MODES, ASSIGNS, BORROWING, USES } from "../../domain/pool.ts";
import { POOL_KINDS } from "../../domain/pool-network.ts";
import { action, type DryRunOption, type Session, withDryRun } from "../invocation/cli.ts";
import { count, duration, keyValue, texts } from "../invocation/options.ts";
import { routes } from "../invocation/route-option.ts";
import { TIMEOUT_HELP } from "../invocation/wait-for-job.ts";
import type { Column } from "../output/column.ts";
import { applyCommand } from "../resource/apply.ts";
import { create } from "../resource/create.ts";
import { getCommand } from "../resource/get.ts";
import { POOL } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { poolEnableCommand } from "./pool-enable.ts";
import { poolHistoryCommand } from "./pool-history.ts";
import { poolJobCommands } from "./pool-jobs.ts";

export type Pool = v.InferOutput<typeof poolRead>;

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
    .addCommand(getCommand(io, POOL, POOL_COLUMNS))
    .addCommand(
      applyCommand(io, POOL)
        .option("--wait", "Wait until what left the pools is free for others")
        .option("--timeout <duration>", TIMEOUT_HELP, duration),
    )
    .addCommand(createCommand(io))
    .addCommand(poolEnableCommand(io))
    .addCommand(poolHistoryCommand(io));
  for (const one of poolJobCommands(io)) command.addCommand(one);
  return command;
}

export const POOL_COLUMNS: readonly Column<Pool>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "ASSIGNS", value: ({ assign }) => assign, wide: true },
  { header: "PARENT", value: ({ parent }) => parent, wide: true },
  { header: "BLOCKSIZE", value: ({ blockSize }) => blockSize },
  { header: "DISABLED", value: ({ disabled }) => disabled },
  { header: "STATE", value: ({ state }) => state, wide: true },
  { header: "ASSIGNMENT", value: ({ assignmentMode }) => assignmentMode, wide: true },
  { header: "USES", value: ({ allowedUses }) => allowedUses?.join(", "), wide: true },
  { header: "RANGES", value: ({ ranges }) => ranges?.join(", "), wide: true },
  { header: "KIND", value: ({ kind }) => kind, wide: true },
  { header: "GATEWAY", value: ({ gateway }) => gateway, wide: true },
  { header: "NODESELECTOR", value: ({ nodeSelector }) => nodeSelector, wide: true },
];

/** The options of `create`. Except for `route` they have the names of the fields. */
interface CreateOptions extends DryRunOption {
  readonly route?: ReturnType<typeof routes>;
}

/** Makes the command `create`. */
const createCommand = (io: Io): Command =>
  withDryRun(new Command("create"), "Say what would be created, and create nothing")
    .description("Create a pool")
    .addHelpText(
      "after",
      examples(
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
    .argument("<name>", "Name of the new pool")
    .requiredOption("--cidr <cidr>", "Range of the pool")
    .addOption(
      new Option(
        "--assign <what>",
        "What the pool assigns: addresses, or prefixes to nodes and handles",
      ).choices(ASSIGNS),
    )
    .option("--parent <pool>", "Pool of prefixes of which --cidr is one that a handle has")
    .option(
      "--block-size <prefix>",
      "Prefix length of the blocks; default: 26, for IPv6 122; of prefixes 24, for IPv6 64",
      count,
    )
    .option(
      "--ranges <ranges>",
      "Addresses, ranges and CIDRs inside of --cidr that the pool has alone; with commas or repeatable",
      texts,
    )
    .option("--excludes <ranges>", "What the pool leaves out of --ranges", texts)
    .addOption(
      new Option(
        "--kind <kind>",
        "Use of the pool: pods assigns every address, subnet leaves out network, broadcast and gateway",
      ).choices(POOL_KINDS),
    )
    .option(
      "--prefix-length <n>",
      "Prefix length of the network that the addresses are used in; default: that of --cidr",
      count,
    )
    .option("--gateway <address>", "Gateway of the workloads")
    .option(
      "--route <dst=10.0.0.0/8,gw=10.9.0.1>",
      "Route of the workloads: a network and its gateway; repeatable",
      routes,
    )
    .option("--dns <addresses>", "DNS servers of the workloads; with commas or repeatable", texts)
    .option("--domain <name>", "DNS domain of the workloads")
    .option("--vlan <id>", "VLAN of the network, from 1 to 4094", count)
    .option("--mtu <bytes>", "Size of the largest packet on the network", count)
    .option(
      "--labels <key=value>",
      "Label that every address of the pool carries; repeatable",
      keyValue,
    )
    .option("--disabled", "Assign nothing from the pool until it is enabled")
    .addOption(
      new Option("--assignment-mode <mode>", "Manual: only requests that name the pool").choices(
        ASSIGNMENT_MODES,
      ),
    )
    .option(
      "--allowed-uses <uses>",
      `Uses that the pool serves: ${USES.join(", ")}; with commas or repeatable`,
      texts,
    )
    .option("--node-selector <selector>", "Hosts that the pool serves, by their labels")
    .option("--namespace-selector <selector>", "Namespaces that the pool serves, by their labels")
    .option("--pod-selector <selector>", "Workloads that the pool serves, by their labels")
    .option("--node-names <hosts>", "Hosts that the pool serves; with commas or repeatable", texts)
    .option(
      "--namespace-names <namespaces>",
      "Namespaces that the pool serves; with commas or repeatable",
      texts,
    )
    .option(
      "--networks <networks>",
      "Networks that the pool serves; with commas or repeatable",
      texts,
    )
    .option(
      "--principals <principals>",
      "Callers that the pool serves; with commas or repeatable",
      texts,
    )
    .addOption(
      new Option(
        "--borrowing <rule>",
        "Whether a host may take addresses from blocks of other hosts",
      ).choices(BORROWING),
    )
    .option("--cooldown-seconds <n>", "How long a released address is not assigned again", count)
    .action(
      action(io, (session: Session, { route, dryRun, ...fields }: CreateOptions, name: string) =>
        create(session, POOL, name, { ...fields, routes: route }, { dryRun }),
      ),
    );
