import { compareAddresses, parseAddress } from "./address.ts";
import { type AssignmentRecord, isOver, type Part } from "./allocation.ts";
import { type Block, capacityOf, heldBy, takenIn } from "./block.ts";
import { cellIndexOf, cellOf, isBlockOf } from "./block-group.ts";
import type { Loan } from "./borrowed-block.ts";
import {
  addressAt,
  type Cidr,
  contains,
  formatCidr,
  intervalOf,
  ordinalOf,
  overlaps,
  sameCidr,
} from "./cidr.ts";
import type { Contents } from "./contents.ts";
import { isHostReserved } from "./host-reserved.ts";
import type { Node } from "./node.ts";
import type { Pool } from "./pool.ts";
import type { SeatOfRecord } from "./quota-slot.ts";
import type { Slot } from "./slot.ts";
import { leadsTo } from "./token.ts";

/** Something in a table that must never be. */
export interface Violation {
  /** `I1` … `I12` of DESIGN.md, or `shape` for an item that cannot be right in itself, or `tidy` for left-overs at rest. */
  readonly invariant: string;
  readonly message: string;
}

/**
 * Proves the invariants over the contents of a table.
 *
 * @param quiet nothing is in flight, and the collector and the reclaimer have passed: then rows and records must be tidy too
 */
export function findViolations(
  contents: Contents,
  { quiet = false }: { readonly quiet?: boolean } = {},
): Violation[] {
  const records = recordsByToken(contents.records);
  const blocks = new Map(
    contents.blocks.map((block) => [nameOfBlock(block.space, block.cidr), block]),
  );
  return [
    ...contents.unreadable.map(({ key, reason }) => violation("shape", `${key}: ${reason}`)),
    ...contents.blocks.flatMap((block) => blockViolations(block, contents, records)),
    ...overlapping(
      contents.blocks.filter((block) => poolOf(block, contents) || takenIn(block) > 0),
      "blocks",
    ),
    ...overlapping(
      contents.pools.filter(({ state }) => state === "active"),
      "pools",
    ),
    ...contents.plans.flatMap(({ space, entries }) =>
      overlapping(
        entries.map(({ cidr }) => ({ space, cidr })),
        "ranges of the plan",
      ),
    ),
    ...unplanned(contents),
    ...abandoned(contents),
    ...contents.records.flatMap((record) => recordViolations(record, blocks)),
    ...unseated(contents, blocks),
    ...(quiet ? untidy(contents, blocks) : []),
  ];
}

const violation = (invariant: string, message: string): Violation => ({ invariant, message });

type Owner = { readonly record: AssignmentRecord; readonly part: Part };

function recordsByToken(records: readonly AssignmentRecord[]): ReadonlyMap<string, Owner[]> {
  const owners = new Map<string, Owner[]>();
  for (const record of records) {
    for (const part of record.parts) {
      const known = owners.get(part.token);
      if (known) known.push({ record, part });
      else owners.set(part.token, [{ record, part }]);
    }
  }
  return owners;
}

function blockViolations(
  block: Block,
  contents: Contents,
  owners: ReadonlyMap<string, Owner[]>,
): Violation[] {
  const name = `block ${block.space} ${formatCidr(block.cidr)}`;
  const found: Violation[] = [];
  for (const [ordinal, slot] of block.slots) {
    if (!Number.isInteger(ordinal) || ordinal < 0 || ordinal >= capacityOf(block))
      found.push(violation("shape", `${name} has a slot ${ordinal} outside its range`));
    if (slot.kind === "foreign")
      found.push(violation("shape", `${name} slot ${ordinal} has a tag that cannot be read`));
    if (slot.kind === "taken")
      found.push(...slotViolations(name, block, ordinal, slot, contents, owners));
    if (slot.kind === "taken" && isHostReserved(block, ordinal))
      found.push(
        violation("I1", `${name} slot ${ordinal} is taken, and its host keeps it for itself`),
      );
  }
  const { start = 0, end = 0 } = block.hostReserved ?? {};
  if (!(start >= 0 && end >= 0 && start + end < capacityOf(block)))
    found.push(violation("shape", `${name} is too small for what its host keeps in it`));
  const pool = poolOf(block, contents);
  if (!pool) {
    // An empty one may have landed after its pool was gone: nobody can take a slot of it, and the collector deletes it.
    if (takenIn(block) > 0)
      found.push(violation("shape", `${name} is in use, and its pool ${block.pool} is gone`));
  } else if (pool.state === "pending")
    // So a pool that is still pending can be deleted at once.
    found.push(violation("shape", `${name} was claimed in pool ${pool.name}, which is pending`));
  else if (!isBlockOf(pool, block.cidr))
    found.push(violation("shape", `${name} is no block of its pool ${block.pool}`));
  else if (!isMapped(block, pool, contents))
    found.push(violation("I4", `${name} is in no cell of its pool's map: no pass would see it`));
  return found;
}

/** By its id: an earlier pool of the same name is another one. */
const poolOf = ({ space, poolId }: Block, { pools }: Contents): Pool | undefined =>
  pools.find((pool) => pool.space === space && pool.id === poolId);

/** Whoever must see every block goes by the map, so a cell is in it before its first block is put. */
function isMapped(block: Block, pool: Pool, { maps }: Contents): boolean {
  const index = cellIndexOf(pool, cellOf(block.cidr));
  return maps.some(
    (page) => page.space === pool.space && page.poolId === pool.id && page.cells.has(index),
  );
}

/** A pool serves only while the plan has its range: whoever creates another looks there. */
function unplanned({ pools, plans }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "active")
    .filter(
      ({ space, id, cidr }) =>
        !plans.some(
          (plan) =>
            plan.space === space &&
            plan.entries.some((entry) => entry.id === id && sameCidr(entry.cidr, cidr)),
        ),
    )
    .map(({ name, cidr }) =>
      violation("I1", `pool ${name} serves ${formatCidr(cidr)}, which the plan does not give it`),
    );
}

/** A pool that is being deleted has a job that carries it on. */
function abandoned({ pools, jobs }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "deleting")
    .filter(
      (pool) =>
        !jobs.some(
          ({ kind, poolId, state }) =>
            kind === "pool.delete" && poolId === pool.id && state === "running",
        ),
    )
    .map(({ name }) => violation("shape", `pool ${name} is being deleted, and no job does it`));
}

function slotViolations(
  name: string,
  { space, cidr, host }: Block,
  ordinal: number,
  slot: Slot & { readonly kind: "taken" },
  { loans }: Contents,
  owners: ReadonlyMap<string, Owner[]>,
): Violation[] {
  const rightful = (owners.get(slot.token) ?? []).filter(
    ({ record, part }) =>
      record.place.space === space &&
      record.place.handleHash === slot.handleHash &&
      sameCidr(part.block, cidr),
  );
  if (rightful.length === 0)
    return [violation("I3", `${name} slot ${ordinal} is taken without an assignment record`)];
  if (rightful.length > 1)
    return [violation("I1", `${name} slot ${ordinal} is named by ${rightful.length} records`)];
  const [owner] = rightful;
  if (owner && !leadsTo(slot.token, owner.record.place))
    return [
      violation("I3", `${name} slot ${ordinal} has a token that does not lead to its record`),
    ];
  const holder = owner?.record.host;
  const isLent = (loan: Loan) =>
    loan.host === holder && loan.space === space && sameCidr(loan.block, cidr);
  if (holder !== host && !loans.some(isLent))
    return [violation("I11", `${name} slot ${ordinal} of ${holder} has no loan row under it`)];
  return [];
}

/** Neighbours in the order of addresses that share some: at least one pair wherever there is one. */
function overlapping(
  ranges: readonly { readonly space: string; readonly cidr: Cidr }[],
  kind: string,
): Violation[] {
  const sorted = ranges.toSorted(
    (a, b) =>
      (a.space === b.space ? 0 : a.space < b.space ? -1 : 1) ||
      compareAddresses(addressAt(a.cidr, 0), addressAt(b.cidr, 0)),
  );
  return sorted.slice(1).flatMap((range, i) => {
    const before = sorted[i] as (typeof ranges)[number];
    const clash =
      before.space === range.space && overlaps(intervalOf(before.cidr), intervalOf(range.cidr));
    if (!clash) return [];
    const both = `${formatCidr(before.cidr)} and ${formatCidr(range.cidr)}`;
    return [violation("I1", `${kind} ${both} of ${range.space} overlap`)];
  });
}

type BlocksByName = ReadonlyMap<string, Block>;
/** No text for people: this is asked for every part of every record. */
const nameOfBlock = (space: string, { base, prefix, family }: Cidr) =>
  `${space} ${family} ${base}/${prefix}`;

function recordViolations(record: AssignmentRecord, blocks: BlocksByName): Violation[] {
  const count = heldCount(record, blocks);
  return count > record.want
    ? [violation("I8", `${nameOf(record)} holds ${count} addresses and asked for ${record.want}`)]
    : [];
}

function heldCount(record: AssignmentRecord, blocks: BlocksByName): number {
  const heldOf = ({ token, block }: Part) =>
    heldBy(blocks.get(nameOfBlock(record.place.space, block)), token).length;
  return record.parts.reduce((sum, part) => sum + heldOf(part), 0);
}

/** Every address that a handle has under a limit is in a seat of its own: a second one there would be one too many. */
function unseated({ records, seats }: Contents, blocks: BlocksByName): Violation[] {
  const standing = new Set(seats.map(({ revision }) => revision));
  return records
    .filter(({ state }) => state === "live")
    .flatMap((record) =>
      record.seats
        .filter((seat) => !standing.has(seat.revision) && isSeatHeld(record, seat, blocks))
        .map(({ address }) =>
          violation("limit", `${nameOf(record)} holds ${address} in a seat that it has no more`),
        ),
    );
}

function isSeatHeld(record: AssignmentRecord, seat: SeatOfRecord, blocks: BlocksByName): boolean {
  const address = seat.address === undefined ? undefined : parseAddress(seat.address);
  if (!address?.ok) return false;
  return record.parts
    .filter(({ block }) => contains(block, address.value))
    .some(({ block, token }) =>
      heldBy(blocks.get(nameOfBlock(record.place.space, block)), token).includes(
        ordinalOf(block, address.value),
      ),
    );
}

/** What must also hold when nothing is in flight and the scheduled passes have been by. */
function untidy(contents: Contents, byName: BlocksByName): Violation[] {
  const { blocks, rows, records, pools, maps, seats } = contents;
  const rowName = (host: string, space: string, cidr: Cidr) =>
    `${host} ${nameOfBlock(space, cidr)}`;
  const rowNames = new Set(rows.map(({ host, space, block }) => rowName(host, space, block)));
  return [
    ...blocks
      .filter((block) => !poolOf(block, contents))
      .map(({ cidr }) =>
        violation("tidy", `block ${formatCidr(cidr)} is left from a pool that is gone`),
      ),
    ...maps
      .filter(({ poolId }) => !pools.some(({ id }) => id === poolId))
      .map(({ poolId }) => violation("tidy", `a map is left from pool ${poolId}, which is gone`)),
    ...blocks
      .filter(
        ({ host, space, cidr }) => host !== undefined && !rowNames.has(rowName(host, space, cidr)),
      )
      .map(({ cidr, host }) =>
        violation("I4", `block ${formatCidr(cidr)} is affine to ${host}, which has no row for it`),
      ),
    ...rows
      .filter(({ state }) => state !== "confirmed")
      .map(({ host, block, state }) =>
        violation("tidy", `${host} has a row for ${formatCidr(block)} that is ${state}`),
      ),
    ...(rowNames.size < rows.length
      ? [violation("tidy", `${rows.length - rowNames.size} rows stand twice for one block`)]
      : []),
    ...rows
      .filter(({ host, space, block }) => byName.get(nameOfBlock(space, block))?.host !== host)
      .map(({ host, block }) =>
        violation("tidy", `${host} has a row for ${formatCidr(block)}, which is not its block`),
      ),
    ...seats
      .filter(({ revision }) =>
        records.every((record) =>
          record.seats.every(
            (seat) => seat.revision !== revision || !isSeatHeld(record, seat, byName),
          ),
        ),
      )
      .map(({ handle, family, number }) =>
        violation("tidy", `IPv${family} seat ${number} of handle ${handle} has no address in it`),
      ),
    ...unlisted(contents),
    ...records.flatMap((record) => {
      const count = heldCount(record, byName);
      if (record.state === "open" || record.state === "aborted")
        return [violation("tidy", `${nameOf(record)} is still ${record.state}`)];
      if (isOver(record) && count > 0)
        return [violation("tidy", `${nameOf(record)} is released and holds ${count} addresses`)];
      if (!isOver(record) && count === 0)
        return [violation("tidy", `${nameOf(record)} is live and holds nothing`)];
      return [];
    }),
  ];
}

/** Nodes and the entries of their register go together. */
function unlisted({ nodes, nodeEntries }: Contents): Violation[] {
  const placeOf = ({ space, name }: Pick<Node, "space" | "name">) => `${space} ${name}`;
  const standing = new Set(nodes.map(placeOf));
  const entered = new Set(nodeEntries.map(placeOf));
  return [
    ...nodes
      .filter((node) => !entered.has(placeOf(node)))
      .map(({ name }) => violation("tidy", `node ${name} is not in the register of nodes`)),
    ...nodeEntries
      .filter((entry) => !standing.has(placeOf(entry)))
      .map(({ name }) => violation("tidy", `the register has a node ${name}, which is not there`)),
  ];
}

const nameOf = ({ handle, place }: AssignmentRecord) =>
  `the record of handle ${handle} (${place.id})`;
