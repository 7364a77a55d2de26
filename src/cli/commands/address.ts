import { Command, Option } from "commander";
import { ADDRESSES_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { ATTRIBUTE_PREFIX, SEARCHED_STATES } from "../../nouns/address/contract/search-request.ts";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import { affinityTypeOption, keyValue } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { endList } from "../resource/none.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const addressCommand = (io: Io): Command =>
  new Command("address")
    .description("Show and find addresses, and report conflicts")
    .addHelpText(
      "after",
      examples(
        ["Show an address, assigned or not", "plat address get 10.0.0.1"],
        ["Find the addresses of a host", "plat address get --host node-1"],
        [
          "Report that something else uses an address",
          "plat address conflict 10.0.0.1 --handle web-0",
        ],
        ["End the quarantine of an address", "plat address lift 10.0.0.1"],
      ),
    )
    .addCommand(
      ignoringNotFound(printing(getVerb()))
        .description("Show one address, or all that are not free and meet the conditions")
        .argument("[ip]", "The address, assigned or not")
        .option("--pool <pool>", "Only addresses of this pool")
        .option("--host <host>", "Only addresses that this host uses")
        .addOption(affinityTypeOption())
        .option("--handle <handle>", "Only addresses of this handle")
        .option("--owner <name>", "Only addresses of this owner, such as web-0 or shop/web-0")
        .option("--attribute <key=value>", "Only with this attribute; repeatable", keyValue)
        .addOption(
          new Option("--state <state>", "Only addresses in this state").choices(SEARCHED_STATES),
        )
        .option("--cidr <cidr>", "Only addresses in this network")
        .addHelpText(
          "after",
          examples(
            ["Show an address", "plat address get 10.0.0.1"],
            [
              "Find the addresses of a tenant in a pool",
              "plat address get --pool web --attribute tenant=red",
            ],
            ["Show the addresses in cooldown", "plat address get --state cooling"],
            ["Show every field of it", "plat address get 10.0.0.1 -o yaml"],
            ["Print only its handle", "plat address get 10.0.0.1 -o jsonpath='{.handle}'"],
          ),
        )
        .action(action(io, get)),
    )
    .addCommand(
      printing(new Command("conflict"))
        .description(
          "Report that something else uses an address: nobody gets it until its quarantine ends",
        )
        .argument("<ip>", "The address")
        .option("--handle <handle>", "The handle that has the address")
        .option("--generation <generation>", "The assignment of the address")
        .addHelpText(
          "after",
          examples([
            "Report a conflict of an address of a handle",
            "plat address conflict 10.0.0.1 --handle web-0",
          ]),
        )
        .action(action(io, conflict)),
    )
    .addCommand(
      printing(new Command("lift"))
        .description("End the quarantine of an address; the rest of its cooldown still applies")
        .argument("<ip>", "The address")
        .addHelpText(
          "after",
          examples(["End the quarantine of an address", "plat address lift 10.0.0.1"]),
        )
        .action(action(io, lift)),
    );

export const ADDRESS_COLUMNS: readonly Column<Found["addresses"][number]>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATE", value: ({ state }) => state },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "UID", value: ({ workload }) => workload?.uid, wide: true },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "BORROWED", value: ({ borrowed }) => borrowed, wide: true },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
  { header: "ASSIGNED BY", value: ({ assignedBy }) => assignedBy, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "AVAILABLE", value: ({ availableAt }) => availableAt, wide: true },
  {
    header: "QUARANTINED UNTIL",
    value: ({ quarantinedUntil }) => quarantinedUntil,
    wide: true,
  },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];

interface Conditions {
  readonly pool?: string;
  readonly host?: string;
  readonly affinityType?: AffinityType;
  readonly handle?: string;
  readonly owner?: string;
  readonly attribute?: Readonly<Record<string, string>>;
  readonly state?: (typeof SEARCHED_STATES)[number];
  readonly cidr?: string;
}

async function get(session: Session, conditions: Conditions, ip?: string): Promise<void> {
  if (ip === undefined) return list(session, conditions);
  if (Object.keys(conditions).length > 0)
    throw usageError(`${ip} is one address: the options filter lists.`);
  const { client, print } = session;
  const { body: address } = await client.readAddress({ ip });
  print({ columns: ADDRESS_COLUMNS, rows: [address], document: address });
}

async function list(session: Session, conditions: Conditions): Promise<void> {
  const { client, print, io } = session;
  const { addresses, read, unreadable } = await progressing(io, "addresses", (shown) =>
    search(client, conditions, (found, looked) =>
      shown.update(
        `${counted(found, "address", "addresses")}, ${counted(looked, "allocation")} read`,
      ),
    ),
  );
  print({ columns: ADDRESS_COLUMNS, rows: addresses, document: { addresses, read } });
  await endList(session, { items: addresses, unreadable }, "addresses");
}

type Found = Answer<"listAddresses">;

/**
 * Lists the addresses that meet all conditions, up to the last page.
 *
 * @param each told after each page how many addresses and allocations were read
 * @returns the addresses, and what Plat read for all pages
 */
async function search(
  client: PlatClient,
  { attribute = {}, ...conditions }: Conditions,
  each: (found: number, looked: number) => void,
): Promise<Pick<Required<Found>, "addresses" | "read" | "unreadable">> {
  const addresses: Found["addresses"] = [];
  const unreadable: NonNullable<Found["unreadable"]> = [];
  let read: Found["read"] | undefined;
  const named = Object.entries(attribute).map(([key, value]) => [ATTRIBUTE_PREFIX + key, value]);
  for await (const page of client.pages.listAddresses({
    ...conditions,
    attributes: Object.fromEntries(named),
    limit: ADDRESSES_PER_PAGE_MAX,
  })) {
    addresses.push(...page.addresses);
    unreadable.push(...(page.unreadable ?? []));
    const { entries, ...pageRead } = page.read;
    read = {
      ...pageRead,
      ...(entries !== undefined && { entries: (read?.entries ?? 0) + entries }),
      blocks: (read?.blocks ?? 0) + page.read.blocks,
      allocations: (read?.allocations ?? 0) + page.read.allocations,
    };
    each(addresses.length, read.allocations);
  }
  return { addresses, read: read as Found["read"], unreadable };
}

async function conflict(
  { client, print }: Session,
  { handle, generation }: { readonly handle?: string; readonly generation?: string },
  ip: string,
): Promise<void> {
  if (handle === undefined && generation === undefined)
    throw usageError("plat address conflict needs --handle or --generation.");
  const { body: reported } = await client.reportConflict({ ip, body: { handle, generation } });
  const { address, quarantinedUntil } = reported;
  print({
    text: () => `${address} is in quarantine until ${quarantinedUntil}\n`,
    document: reported,
    names: [address],
  });
}

async function lift({ client, print }: Session, _: object, ip: string): Promise<void> {
  const { body: lifted } = await client.liftQuarantine({ ip });
  const { address, availableAt } = lifted;
  const cools = availableAt === undefined ? "" : `; it cools until ${availableAt}`;
  print({
    text: () => `${address} is no longer in quarantine${cools}\n`,
    document: lifted,
    names: [address],
  });
}
