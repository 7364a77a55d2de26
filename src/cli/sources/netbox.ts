import * as v from "valibot";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked } from "../../api/schema/schema.ts";
import type { PlatClient } from "../../client/index.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import type { Desired } from "../import/desired.ts";
import { desiredFromSystem, type ForeignAddress } from "../import/in-pools.ts";
import { counted } from "../output/count.ts";
import { usageError } from "../shell/exit.ts";
import { jsonIn } from "../shell/input.ts";
import { inUseOfVrf, readEntries } from "./entries.ts";

/*
 * The answer of NetBox to `GET /api/ipam/ip-addresses/`, as far as an import reads it. The serializer has the fields:
 * https://github.com/netbox-community/netbox/blob/main/netbox/ipam/api/serializers_/ip.py
 */

const named = v.object({ name: v.string() });
/** A choice, as its value. NetBox before 2.7 had numbers as values, and the same texts as labels. */
const choice = v.pipe(
  v.object({ value: v.union([v.string(), v.number()]), label: v.nullish(v.string()) }),
  v.transform(({ value, label }) => (typeof value === "string" ? value : label?.toLowerCase())),
);
/** A device or a virtual machine. A device need not have a name; then NetBox makes one to show. */
const machine = v.object({ name: v.nullish(v.string()), display: v.nullish(v.string()) });

/** The interface that has an address, of a device or of a virtual machine. */
const holder = v.object({
  name: v.nullish(v.string()),
  device: v.nullish(machine),
  virtual_machine: v.nullish(machine),
});

const ipAddress = v.object({
  id: v.number(),
  address: v.string(),
  vrf: v.nullish(named),
  tenant: v.nullish(v.object({ slug: v.string() })),
  status: v.nullish(choice),
  role: v.nullish(choice),
  assigned_object: v.nullish(holder),
  /** The name of `assigned_object` before NetBox 2.9. */
  interface: v.nullish(holder),
  dns_name: v.nullish(v.string()),
  description: v.nullish(v.string()),
});

const list = v.object({
  count: v.nullish(v.number()),
  next: v.nullish(v.string()),
  previous: v.nullish(v.string()),
  results: v.array(v.unknown()),
});

type IpAddress = v.InferOutput<typeof ipAddress>;

/** The states of an address that something uses. Any other one is reserved, or given out by somebody else. */
const IN_USE: readonly string[] = ["active", "deprecated"];

/**
 * Returns the desired state of the addresses in use of one VRF, in existing pools. It notes how many others it leaves out. Errors: a
 * file that is no such answer, or pages without the others.
 *
 * @param vrf the name of the VRF; the global table if absent
 */
export async function desiredFromNetbox(
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
  vrf: string | undefined,
): Promise<Desired> {
  const pages = [...texts].map(([file, text]) => pageOf(file, text));
  const all = pages.flatMap(({ entries }) => entries);
  // A page that was saved twice has no address that is new.
  const known = new Set(all.map(({ entry }) => entry.id)).size;
  for (const { file, count, isPart } of pages)
    if (isPart && known < count)
      throw usageError(
        `${file} is one page of several: ${counted(known, "address", "addresses")} of ${count}. Save every page, from the first one to the one whose "next" is null, and name each file with -f.`,
      );
  const { used, notes } = inUseOfVrf(
    all,
    ({ entry }) => (entry.vrf?.name ?? undefined) === vrf,
    ({ entry }) => IN_USE.includes(entry.status ?? "active"),
    "they are neither active nor deprecated",
  );
  // Of entries with the same address, the first is taken: each time the same one, however NetBox orders them.
  const inOrder = used.toSorted((a, b) => a.entry.id - b.entry.id);
  const addresses = readEntries(inOrder, ({ entry, where }) => addressOf(entry, where));
  return desiredFromSystem(client, "netbox", addresses, notes);
}

/** Reads an answer: one page, or all of them. NetBox gives 1,000 at once if nobody changed its maximum. */
function pageOf(file: string, text: string) {
  const json = jsonIn(file, text);
  const page = v.safeParse(list, json);
  const results = page.success ? page.output.results : json;
  if (!Array.isArray(results))
    throw usageError(`${file} is not an answer of NetBox to GET /api/ipam/ip-addresses/.`);
  const { count, next, previous } = page.success
    ? page.output
    : { count: null, next: null, previous: null };
  const entries = results.map((entry: unknown, i) => {
    const read = orProblem(() => checked(ipAddress, entry, "it"));
    if (!(read instanceof Problem)) return { entry: read, where: `${file}, id ${read.id}` };
    throw usageError(`${file}: entry ${i + 1} is no address of NetBox: ${read.detail}`);
  });
  return {
    file,
    entries,
    count: count ?? Number.POSITIVE_INFINITY,
    isPart: Boolean(next || previous),
  };
}

/** Reads an address, or returns its error. NetBox writes it with the prefix length of its network. */
function addressOf(entry: IpAddress, where: string): ForeignAddress | string {
  const text = entry.address.replace(/\/\d+$/, "");
  const read = parsePlainAddress(text);
  if (!read.ok) return `address "${entry.address.slice(0, 80)}" ${read.problem}`;
  const { id } = entry;
  const on = holderOf(entry);
  const machine = on?.device ?? on?.virtual_machine;
  return {
    address: read.value,
    handle: `netbox/ip-addresses/${id}`,
    machine: (machine?.name || machine?.display) ?? undefined,
    attributes: attributesOf(entry),
    where,
  };
}

const holderOf = (entry: Pick<IpAddress, "assigned_object" | "interface">) =>
  entry.assigned_object ?? entry.interface;

const attributesOf = ({
  tenant,
  role,
  dns_name,
  description,
  status,
  ...entry
}: IpAddress): ForeignAddress["attributes"] => ({
  tenant: tenant?.slug,
  role,
  dns_name,
  description,
  interface: holderOf(entry)?.name,
  status: status === "active" ? undefined : status,
});
