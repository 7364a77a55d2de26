import { randomBytes } from "node:crypto";
import { handleHash } from "../src/base/hash.ts";
import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { releaseHandle } from "../src/kernel/release/release-handle.ts";
import {
  blocksOfGroup,
  GROUPS_PER_WINDOW,
  groupAt,
  groupCount,
  groupOrder,
} from "../src/kernel/values/block-group.ts";
import { shuffled } from "../src/kernel/values/fresh.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { GROUP_SCANS_MAX } from "../src/kernel/values/limits.ts";
import { putSettings } from "../src/nouns/pool/operations/administration.ts";
import type { Pool } from "../src/nouns/pool/pool.ts";
import { putNamespace } from "../src/nouns/registry/operations/namespaces.ts";
import { putNode } from "../src/nouns/registry/operations/nodes.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import { type Budget, MEASURED } from "../test/operations/measured.ts";
import { assigned, give } from "./asked.ts";
import { enterGroups, fillGroup, putBlock, useUpGroup } from "./fill.ts";
import { measureIndexes } from "./indexes.ts";
import { measureInstances } from "./instances.ts";
import type { Cost, meterOf } from "./meter.ts";
import { makePool, readCidr } from "./pool.ts";
import { measureQuotas } from "./quotas.ts";
import { measureSpaces } from "./spaces.ts";

export interface Line {
  readonly operation: string;
  readonly size: string;
  readonly fill: string;
  readonly cost: Cost;
  readonly budget: Budget;
}

export interface Bench {
  readonly meter: ReturnType<typeof meterOf>;
  /** Makes a function that has just started. */
  readonly cold: () => Context;
}

export const SIZES = ["/20", "/8", "v6 /48"] as const;
type Size = (typeof SIZES)[number];
const CIDRS = { "/20": "10.0.0.0/20", "/8": "10.0.0.0/8", "v6 /48": "2001:db8::/48" } as const;

export const FILLS = ["0 %", "50 %", "99 %"] as const;
type Fill = (typeof FILLS)[number];
/** The number of addresses of its block that a host holds before the measured assign. */
const TAKEN = { "0 %": 1, "50 %": 32, "99 %": 63 } as const;
const BLOCK_ADDRESSES = 64;
/** The number of free ranges in a block group: in the first scanned one, and in the last that may be scanned. */
const FREE = { "0 %": [64, 64], "50 %": [32, 32], "99 %": [0, 1] } as const;

/** A cold function reads the configuration as well: one page, one unit. */
const CONFIGURATION_UNITS = 1;
/** The maximum cost of an assign that scans as far as it may. */
const LOOKING = [12, 10, 60] as const;
/** Longer than a function uses its copy of the configuration without a check. */
const CONFIGURATION_AGE_MS = 7_000;

/** The common parts of all measurements of one pool at one fill. */
interface Scene extends Bench {
  readonly site: Pool;
  readonly size: Size;
  readonly fill: Fill;
  readonly lines: Line[];
}

/** Measures every operation that has a meaning in a pool of this size at this fill. */
export async function measureSite(bench: Bench, size: Size, fill: Fill): Promise<readonly Line[]> {
  const space = `${size}-${fill}`.replaceAll(/\W/g, "");
  const site = await makePool(bench.cold(), { space, name: "pool", cidr: CIDRS[size] });
  const scene: Scene = { ...bench, site, size, fill, lines: [] };
  await makePool(bench.cold(), { space, name: "six", cidr: "2001:db8:1::/48" });
  const { owner, both } = await settleHosts(scene);
  await fillPool(scene);
  await measureKnownBlock(scene, owner);
  if (both) await measureBothFamilies(scene, both);
  await measureUnknownBlock(scene);
  await measureClaims(scene);
  if (fill === "99 %" && size !== "v6 /48") {
    await measureFullPool(scene);
    await measureBorrowing(scene);
  }
  if (fill === "0 %") await measureSelectors(scene, owner);
  if (fill === "0 %")
    await measureIndexes(scene.cold(), requestOf(scene, "owner"), (...measurement) =>
      measured(scene, ...measurement),
    );
  if (fill === "0 %")
    await measureQuotas(scene.cold(), requestOf(scene, "owner"), (...measurement) =>
      measured(scene, ...measurement),
    );
  if (fill === "0 %")
    await measureSpaces(scene.cold, `${space}-deleted`, (...measurement) =>
      measured(scene, ...measurement),
    );
  await measureEntries(scene, owner, ({ isLast }) => isLast === true);
  return scene.lines;
}

/** Gives hosts blocks before the pool fills up around them; returns functions that know these blocks. */
async function settleHosts(scene: Scene): Promise<{ owner: Context; both: Context | undefined }> {
  const taken = TAKEN[scene.fill];
  const owner = scene.cold();
  await assigned(owner, requestOf(scene, "owner", { count: taken }));
  await assigned(owner, requestOf(scene, "two-blocks", { count: BLOCK_ADDRESSES }));
  await assigned(owner, requestOf(scene, "two-blocks", { count: taken }));
  await give(owner, scene.site.space, await assigned(owner, requestOf(scene, "whole")));
  await assigned(scene.cold(), requestOf(scene, "neighbour"));
  if (scene.site.cidr.family === 6) return { owner, both: undefined };
  const both = scene.cold();
  await assigned(both, bothOf(scene, taken));
  await assigned(both, { ...bothOf(scene, Math.max(1, taken - 2)), host: INTERFACES_HOST });
  return { owner, both };
}

/**
 * Fills the pool as far as a host that claims a block reads it: its index, and the block groups that it scans. To fill
 * the rest of a /8 would not change any measurement, because no request reads it.
 */
async function fillPool(scene: Scene): Promise<void> {
  const { site, fill } = scene;
  if (fill === "0 %") return;
  const context = scene.cold();
  const open = openGroups(scene);
  const [first, last] = FREE[fill];
  for (const [i, index] of open.entries())
    await fillGroup(context, site, index, i === open.length - 1 ? last : first);
  const isFull = (index: bigint) => fill === "99 %" && !open.includes(index);
  await enterGroups(context, site, windowOf(site), isFull);
}

/** Measures all operations for which the function knows the block. */
async function measureKnownBlock(scene: Scene, owner: Context): Promise<void> {
  const { site, fill } = scene;
  await measureEntries(scene, owner, ({ isLast }) => isLast !== true);
  await measureInstances(owner, requestOf(scene, "owner"), (...measurement) =>
    measured(scene, ...measurement),
  );

  const later = (ages: number): Context => ({
    ...owner,
    now: () => owner.now() + ages * CONFIGURATION_AGE_MS,
  });
  const aged = await assigned(later(1), requestOf(scene, "owner"));
  await give(owner, site.space, aged);
  const older = await measured(scene, "assign, warm, configuration read 7 s ago", [3, 3, 1], () =>
    assigned(later(2), requestOf(scene, "owner")),
  );
  await give(owner, site.space, older);

  if (fill === "0 %")
    await measured(scene, "assign 64 addresses in one block, warm", [2, 4, 0], () =>
      assigned(owner, requestOf(scene, "whole", { count: BLOCK_ADDRESSES })),
    );
}

/** Measures operations of the catalogue on the block of the owner. */
async function measureEntries(
  scene: Scene,
  owner: Context,
  isMeasured: (row: { readonly isLast?: boolean }) => boolean,
): Promise<void> {
  const request = () => requestOf(scene, "owner");
  const ground = { pool: scene.site, request, named: request };
  for (const { prepare, act, undo, bench } of MEASURED) {
    if ("not" in bench || !isMeasured(bench)) continue;
    const before = (await prepare?.(owner, ground)) as Assignment;
    const answer = await measured(scene, bench.row, bench.budget, () => act(owner, ground, before));
    await undo?.(owner, ground, before ?? (answer as Assignment));
  }
}

/** Measures a request of both families: its pending allocation has two parts, in the fullest blocks. */
async function measureBothFamilies(scene: Scene, context: Context): Promise<void> {
  // Two blocks of more than 1 KB take two units each. With the name of its last author a block of 32 taken addresses can be so large.
  const larger = scene.fill === "0 %" ? 0 : 2;
  const told = await measured(scene, "assign one v4 and one v6, warm", [3, 6 + larger, 0], () =>
    assigned(context, bothOf(scene, 1)),
  );
  await measured(scene, "assign two interfaces, both families, warm", [3, 12, 0], () =>
    assigned(context, interfacesOf(scene)),
  );
  await measured(scene, "release by handle, an allocation in two blocks", [5, 4 + larger, 2], () =>
    releaseHandle(context, scene.site.space, told.handle),
  );
}

/** Measures operations of a host with a block. The function knows the configuration, or nothing at all. */
async function measureUnknownBlock(scene: Scene): Promise<void> {
  const warm = async () => {
    const context = scene.cold();
    await assigned(context, requestOf(scene, "neighbour"));
    return context;
  };
  const rows = [
    ["assign, warm function, host not seen before", warm, "owner", {}, [4, 3, 3]],
    ["… with a key", warm, "owner", { keyed: true }, [4, 3, 3]],
    ["… and its first block is full", warm, "two-blocks", {}, [4, 3, 3 + 1]],
    ["assign, cold function", scene.cold, "owner", {}, [4, 3, 4 + CONFIGURATION_UNITS]],
  ] as const;
  for (const [operation, contextOf, host, more, budget] of rows) {
    const context = await contextOf();
    const told = await measured(scene, operation, budget, () =>
      assigned(context, requestOf(scene, host, more)),
    );
    await give(context, scene.site.space, told);
  }
}

async function measureClaims(scene: Scene): Promise<void> {
  const crowded = scene.fill === "99 %";
  const [inSequence, writeUnits, readUnits] = crowded ? LOOKING : ([8, 9, 32] as const);
  const warm = scene.cold();
  await assigned(warm, requestOf(scene, "neighbour"));
  const claim = (operation: string, context: Context, units: number) =>
    measured(scene, operation, [inSequence, writeUnits, readUnits + units], () =>
      assigned(context, requestOf(scene, "late")),
    );
  const claimed = await claim("assign that must claim a block", warm, 0);
  await undoClaim(scene, claimed);
  await claim("… cold function", scene.cold(), CONFIGURATION_UNITS);
}

/** Removes the host's block again. Its block group has one more free range, and its hint is as before. */
async function undoClaim({ cold, site }: Scene, { addresses }: Assignment): Promise<void> {
  const { store } = cold();
  const block = await store.readBlock(site.space, readCidr(addresses[0]?.block ?? ""));
  if (!block) throw new Error("a claim that left no block");
  await store.deleteBlock(block);
  for (const row of await store.listAffinities(site.space, hostId("host", "late")))
    await store.deleteAffinity("affinity-undo", row);
  for (const index of openGroups({ site })) await store.unmarkFull(site.space, site.id, index);
}

/**
 * Measures a pool in which every block group is marked full, so that a scan goes to the first draws of the random
 * source.
 */
async function measureFullPool(scene: Scene): Promise<void> {
  const { site } = scene;
  const context = scene.cold();
  await enterGroups(context, site, openGroups(scene), () => true);
  for (const index of await drawnGroups(scene)) await useUpGroup(context, site, index);
  await forgetLending(scene);
  const refused = (operation: string) =>
    measured(scene, operation, [12, 1, 60 + CONFIGURATION_UNITS], async () => {
      const answer = await assign(drawing(scene.cold()), requestOf(scene, "too-late"));
      if (!(answer instanceof Rejection))
        throw new Error(`a full pool gave ${JSON.stringify(answer)}`);
    });
  await refused("assign that is rejected because the pool is full");
  await forgetLending(scene);
  const strict = { ...SETTINGS_DEFAULT, strictAffinity: true };
  const written = await putSettings(context, site.space, strict, undefined);
  if (written instanceof Rejection) throw new Error(written.detail);
  await refused("… and borrowing is off");
  await forgetLending(scene);
  const { revision } = written.value;
  await putSettings(context, site.space, SETTINGS_DEFAULT, revision);
}

/** Drops the hints of what can be lent. By them the next request would read other block groups than those that are drawn. */
async function forgetLending({ cold, site }: Scene): Promise<void> {
  const { store } = cold();
  for (const page of await store.listLending(site.space, site.id))
    await store.deleteLending("forget", page);
}

/**
 * Measures borrowing: the pool is full except for one block of another host, in the last block group that may be
 * scanned.
 */
async function measureBorrowing(scene: Scene): Promise<void> {
  const { site, lines } = scene;
  const context = scene.cold();
  const groups = await drawnGroups(scene);
  const [borrowedFrom] = blocksOfGroup(site, groupAt(site, groups.at(-1) as bigint)).slice(-1);
  const current = borrowedFrom && (await context.store.readBlock(site.space, borrowedFrom));
  if (!current) throw new Error("a full pool has no block to lend");
  await context.store.deleteBlock(current);
  await putBlock(context, site, current.cidr, BLOCK_ADDRESSES / 2);
  const guest = drawing(scene.cold());
  const looking = [LOOKING[0], LOOKING[1], LOOKING[2] + CONFIGURATION_UNITS] as const;
  for (const [times, extra] of [
    ["the first time", 1],
    ["the second time", 0],
  ] as const) {
    const found = await measured(scene, `borrow, ${times}, with the look for it`, looking, () =>
      assigned(guest, requestOf(scene, "guest")),
    ).then(() => lines.at(-1) as Line);
    // Counts only the writes in sequence, because all reads serve to find the block.
    const cost = { ...found.cost, inSequence: found.cost.writesInSequence, readUnits: 0 };
    const budget = [2 + extra, 3 + extra, 0] as const;
    lines.push({ ...found, operation: `borrow, ${times}, once it is found`, cost, budget });
  }
}

/**
 * Measures a space in which some pool selects nodes and requests have no labels. Then Plat reads the labels of the
 * requester.
 */
async function measureSelectors(scene: Scene, owner: Context): Promise<void> {
  const { cold, site } = scene;
  const { space } = site;
  const nodeSelector = {
    text: "has(rack)",
    selector: { kind: "has()", label: "rack" },
  } as const;
  await makePool(cold(), { space, name: "racks", cidr: "172.16.0.0/20" }, { nodeSelector });
  await putNode(
    cold(),
    space,
    "owner",
    { labels: { rack: "7", "example.org/zone": "west" } },
    undefined,
  );
  const open = () => ({ ...requestOf(scene, "owner"), pools: [] });
  const later = (ages: number): Context => ({
    ...owner,
    now: () => owner.now() + ages * CONFIGURATION_AGE_MS,
  });
  await give(owner, site.space, await assigned(later(3), open()));
  const budgets = [
    ["assign, warm, where pools select nodes", later(3), [2, 3, 0]],
    ["… configuration and labels read 7 s ago", later(4), [3, 3, 2]],
    ["… cold function", cold(), [4, 3, 4 + CONFIGURATION_UNITS]],
  ] as const;
  for (const [operation, context, budget] of budgets) {
    const told = await measured(scene, operation, budget, () => assigned(context, open()));
    // The warm function releases, so that it knows the block as the cold one left it.
    await give(owner, space, told);
  }
  const saying = () => ({ ...open(), hostLabels: { rack: "7" } });
  const told = await measured(
    scene,
    "… the request says its labels, configuration read 14 s ago",
    [3, 3, 1],
    () => assigned(later(6), saying()),
  );
  await give(later(6), space, told);
  const spec = { labels: {}, defaultPools: [site.name] };
  await putNamespace(cold(), space, "shop", spec, undefined);
  const ofShop = () => assigned(later(7), { ...open(), namespace: "shop" });
  await give(later(7), space, await ofShop());
  const byDefault = await measured(
    scene,
    "assign, warm, of a namespace with default pools",
    [2, 3, 0],
    ofShop,
  );
  await give(later(7), space, byDefault);
}

/** Measures an operation. A release out of a full block notes that the block lends again, which is one write more. */
async function measured<T>(
  { meter, lines, size, fill }: Scene,
  operation: string,
  budget: Budget,
  act: () => Promise<T>,
): Promise<T> {
  let answer: T | undefined;
  const cost = await meter.measure(async () => {
    answer = await act();
  });
  const [inSequence, writeUnits, readUnits] = budget;
  const more = fill === "99 %" && /^(release|conflict)/.test(operation) ? 1 : 0;
  lines.push({
    ...{ operation, size, fill, cost },
    budget: [inSequence + more, writeUnits + more, readUnits],
  });
  return answer as T;
}

/** Returns the block groups that the late host scans for a free range, in order. */
function openGroups({ site }: Pick<Scene, "site">): readonly bigint[] {
  const groups: bigint[] = [];
  for (const index of groupOrder(site, hostId("host", "late"))) {
    groups.push(index);
    if (groups.length === GROUP_SCANS_MAX) break;
  }
  return groups;
}

/** Returns the block groups in which all hosts start. */
function windowOf(site: Pool): readonly bigint[] {
  const count = groupCount(site);
  const window = count < GROUPS_PER_WINDOW ? count : GROUPS_PER_WINDOW;
  return Array.from({ length: Number(window) }, (_, i) => BigInt(i));
}

/** A random source without randomness: it always draws the same block groups among those without hints. */
const STILL = { fraction: () => 0, bytes: (count: number) => randomBytes(count) };
const drawing = (context: Context): Context => ({ ...context, random: STILL });

async function drawnGroups({ cold, site }: Scene): Promise<readonly bigint[]> {
  const full = await cold().store.readFullGroups(site.space, site.id);
  return shuffled([...full], STILL).slice(0, GROUP_SCANS_MAX);
}

let handles = 0;

function requestOf(
  { site }: Scene,
  host: string,
  { count = 1, keyed = false }: { readonly count?: number; readonly keyed?: boolean } = {},
): AssignRequest {
  const handle = `handle-${handles++}`;
  return {
    space: site.space,
    host: hostId("host", host),
    wanted: [{ family: site.cidr.family, count }],
    handle,
    attributes: { pod: "web-0", namespace: "shop" },
    pools: [site.name],
    ...(keyed && { keyId: handleHash(`key of ${handle}`) }),
    digest: "digest",
  };
}

/** The host of the requests with interfaces. */
const INTERFACES_HOST = hostId("host", "interfaces");

/** Makes a request for an address of both families for each of two interfaces. */
function interfacesOf(scene: Scene): AssignRequest {
  const { wanted, pools, ...request } = bothOf(scene, 1);
  const names = ["eth0", "net1"];
  return {
    ...request,
    host: INTERFACES_HOST,
    wanted: names.flatMap((name) => wanted.map((each) => ({ ...each, interface: name }))),
    pools: [],
    interfaces: names.map((name) => ({ name, pools })),
  };
}

/** Makes a request for this many addresses of both families, for its own host. */
function bothOf(scene: Scene, count: number): AssignRequest {
  const families = [4, 6] as const;
  const wanted = families.map((family) => ({ family, count }));
  return { ...requestOf(scene, "both"), wanted, pools: [scene.site.name, "six"] };
}
