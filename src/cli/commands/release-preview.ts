import { type Answer, found, type PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { isKeptKind, isWorkloadHandle, workloadHandle } from "../../nouns/application/workload.ts";
import type { NamedInstance } from "../invocation/workload.ts";
import type { Column } from "../output/table.ts";
import { lineOf } from "../shell/text.ts";
import {
  addressesOfHandle,
  addressesOfHost,
  namesOfHandle,
  releaseWords,
} from "../space/handles.ts";
import type { KnownList } from "../space/lists.ts";
import type { FinishedRelease } from "../space/releases.ts";

/** An address as it was read. */
export type SeenAddress = Answer<"readAddress">;

/** The result for an address, real or previewed, with its owner if known. */
export type Row = Omit<FinishedRelease, "status"> & {
  readonly status: FinishedRelease["status"] | "would_release" | "would_keep";
  readonly handle?: string | undefined;
};

/** The columns of the results, real or previewed, of every release. */
export const RELEASE_COLUMNS: readonly Column<
  Pick<Row, "address" | "handle" | "detail"> & { readonly status: string }
>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATUS", value: ({ status }) => status, isState: true },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "DETAIL", value: ({ detail }) => detail ?? "", long: "wrap" },
];

/** The target of a release. */
export interface ReleaseTarget {
  readonly ip?: readonly string[] | undefined;
  readonly generation?: string | undefined;
  readonly handle?: string | undefined;
  readonly host?: string | undefined;
  readonly affinityType?: AffinityType | undefined;
  readonly keep?: true | undefined;
}

/** Reads the addresses that a release would release, and what cannot be read of a host. */
export async function previewOf(
  client: PlatClient,
  named: ReleaseTarget,
): Promise<Pick<KnownList<never>, "unreadable"> & { readonly rows: readonly Row[] }> {
  const { host, affinityType } = named;
  if (host === undefined) return { rows: await namedRows(client, named), unreadable: [] };
  const { items, unreadable } = await addressesOfHost(client, host, affinityType);
  const rows = items.map((one) => (isKept(one) ? wouldKeep(one) : wouldRelease(one)));
  return { rows, unreadable };
}

async function namedRows(client: PlatClient, named: ReleaseTarget): Promise<readonly Row[]> {
  const { ip, handle } = named;
  if (ip) {
    const rows: Row[] = [];
    for (const text of ip)
      rows.push(rowOf((await client.readAddress({ ip: text })).body, named, client.space));
    return rows;
  }
  if (handle === undefined) return [];
  const addresses = await namesOfHandle(client, handle);
  return addresses.map((address) => wouldRelease({ address, handle }));
}

/** Reads the handle of an instance, and what a release by its uid would release or keep. */
export async function instancePreview(
  client: PlatClient,
  { namespace, workload }: NamedInstance,
  keep: true | undefined,
): Promise<{ readonly handle: string; readonly rows: readonly Row[] }> {
  const { instance = workload.name } = workload;
  const handle = workloadHandle({ ...workload, namespace, instance });
  const addresses = (await found(addressesOfHandle(client, handle))) ?? [];
  const would = keep && isKept({ handle }) ? wouldKeep : wouldRelease;
  const own = addresses.filter((one) => one.workload?.uid === workload.uid);
  return { handle, rows: own.map(({ address }) => would({ address, handle })) };
}

interface Owned {
  readonly address: string;
  readonly handle?: string | undefined;
}

const wouldRelease = ({ address, handle }: Owned): Row => ({
  address,
  status: "would_release",
  handle,
});

const wouldKeep = ({ address, handle }: Owned): Row => ({ address, status: "would_keep", handle });

/** Returns true if an instance may keep an address for its next uid: a release of its host leaves it. */
export function isKept({ handle = "" }: Pick<Owned, "handle">): boolean {
  const [, , kind = ""] = handle.split("/");
  return isWorkloadHandle(handle) && isKeptKind({ kind });
}

function rowOf(seen: SeenAddress, { handle, generation, keep }: ReleaseTarget, space: string): Row {
  const left = leftAlone(seen, space);
  if (left) return left;
  const isNamed =
    (handle ?? seen.handle) === seen.handle && (generation ?? seen.generation) === seen.generation;
  if (isNamed) return keep && isKept(seen) ? wouldKeep(seen) : wouldRelease(seen);
  return {
    address: seen.address,
    status: "conflict",
    code: "generation_conflict",
    detail: `It belongs to another assignment, under handle ${seen.handle}.`,
    handle: seen.handle,
  };
}

/**
 * Returns the result of an address that no release by its name frees; nothing for one that its generation frees. The routes of nodes and
 * of prefixes release what they assigned, so that has no generation.
 */
export function leftAlone(seen: SeenAddress, space: string): Row | undefined {
  const { address, state, handle = "", prefix, generation } = seen;
  if (state !== "assigned" && state !== "kept") return notAssigned(seen);
  if (generation !== undefined) return undefined;
  const words = releaseWords(handle, prefix);
  // Its request is at work, or a crash left it to the repair run.
  if (!words) return { address, status: "not_assigned", detail: "Its owner is unknown." };
  const command = `\`${lineOf(words, space)}\``;
  const detail =
    prefix === undefined
      ? `It is an address of a CiliumNode; ${command} releases all that the node has.`
      : `It lies in prefix ${prefix}, which ${command} releases.`;
  return { address, status: "conflict", code: "invalid_request", detail, handle };
}

function notAssigned({ address, state, availableAt, quarantinedUntil }: SeenAddress): Row {
  const row = { address, status: "not_assigned" } as const;
  if (state === "cooling") return { ...row, detail: `It cools until ${availableAt}.` };
  if (state === "quarantined")
    return { ...row, detail: `It is in quarantine until ${quarantinedUntil}.` };
  return state === "hostReserved" ? { ...row, detail: "Its host keeps it for itself." } : row;
}
