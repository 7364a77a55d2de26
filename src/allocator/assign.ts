import { type Address, type Family, formatAddress } from "../domain/address.ts";
import type { AffinityRow } from "../domain/affinity.ts";
import { type Block, capacityOf, chooseOrdinals, cooledAtMs, isCooled } from "../domain/block.ts";
import { blockOf } from "../domain/cell.ts";
import { addressAt, contains, formatCidr, ordinalOf } from "../domain/cidr.ts";
import { generationOf } from "../domain/generation.ts";
import { handleHash } from "../domain/hash.ts";
import type { HostId } from "../domain/host.ts";
import { ASSIGN_ROUNDS_MAX, SLOTS_PER_WRITE_MAX } from "../domain/limits.ts";
import { Contended, Refusal } from "../domain/outcome.ts";
import type { Pool, SpaceConfiguration, Use } from "../domain/pool.ts";
import type { AssignmentRecord, Part, RecordPlace } from "../domain/record.ts";
import { selectPools, whyNot } from "../domain/selection.ts";
import { formatTime } from "../domain/time.ts";
import { configurationOf } from "./configuration.ts";
import { type Context, fresh } from "./context.ts";
import {
  type BlockWish,
  findBlock,
  findBlockAt,
  rememberedBlock,
  slotRules,
} from "./find-block.ts";
import { type Holding, resume } from "./resume.ts";
import { stamp } from "./stamp.ts";
import { type Take, take } from "./take.ts";

/** A request for addresses of one family. */
export interface AssignRequest {
  readonly space: string;
  readonly host: HostId;
  readonly family: Family;
  readonly count: number;
  /** A specific address; then `count` is 1. */
  readonly address?: Address;
  readonly handle: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Declared by the caller; a specific address is only refused for its use when one is declared (Calico 1.4). */
  readonly use?: Use;
  readonly pools: readonly string[];
  /** Digest of Idempotency-Key and handle. */
  readonly keyId?: string;
  /** Digest of the body. */
  readonly digest: string;
}

export interface AssignedAddress {
  readonly address: string;
  readonly family: Family;
  readonly block: string;
  readonly pool: string;
  readonly generation: string;
  readonly borrowed: boolean;
}

export interface Assignment {
  readonly handle: string;
  readonly addresses: readonly AssignedAddress[];
}

/**
 * Assigns addresses: learn a block → put the record → take the slots. Two writes and no read when the function is warm.
 * What a crash leaves at any point is a record without slots, which the collector ends (I3).
 *
 * @returns the addresses, all of them or none; or why not. Throws `Contended`, `Busy` or `Unavailable`: nothing is held
 *   then, or the same Idempotency-Key finds it.
 */
export async function assign(
  context: Context,
  request: AssignRequest,
): Promise<Assignment | Refusal> {
  const attempt: Attempt = { context, request, place: placeOf(context, request) };
  const known = await learn(attempt);
  if (known instanceof Refusal) return known;
  try {
    const told = known.earlier && (await settleEarlier(attempt, known.earlier));
    const answer = told ?? (await walk(attempt, known));
    return answer instanceof Refusal ? await giveUp(attempt, answer) : answer;
  } catch (error) {
    // Contention is a settled outcome: nothing is held, and the record of it can go at once.
    if (error instanceof Contended) await withdraw(attempt);
    throw error;
  }
}

/** One execution of one request. */
interface Attempt {
  readonly context: Context;
  readonly request: AssignRequest;
  readonly place: RecordPlace;
  /** The record to write over: our own, or what an earlier execution left. */
  seen?: AssignmentRecord | undefined;
  /** The record as this execution wrote it last. */
  mine?: AssignmentRecord;
}

async function walk(
  attempt: Attempt,
  { wish, pick, rows }: Learned,
): Promise<Assignment | Refusal> {
  const { context, request, place } = attempt;
  let known = rows;
  let block: Block | Refusal | undefined = pick.remembered();
  for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {
    block ??= await pick.find(known);
    known = undefined;
    if (block instanceof Refusal) return block;
    const chosen = pick.choose(block);
    if (chosen instanceof Refusal) return chosen;
    if (!chosen) {
      // Remembered or found with room, and full since: the next look starts from what is there now.
      context.memory.remember(block);
      block = undefined;
      continue;
    }
    // Rule 2, record after epoch: whenever the block was learned anew, the record is written anew before any slot.
    const part = {
      token: fresh(context),
      block: block.cidr,
      count: request.count,
      ordinals: chosen,
    };
    const stamped = await stamp(context, attempt.seen, recordOf(attempt, part));
    if (stamped.kind === "taken") {
      const told = await settleEarlier(attempt, stamped.record);
      if (told) return told;
      continue;
    }
    attempt.seen = attempt.mine = stamped.record;
    const result = await takePart(context, block, part, place.handleHash, pick);
    if (result.kind === "taken") {
      context.memory.remember(result.block);
      return assignment(attempt.mine, [{ part, block: result.block, ordinals: result.ordinals }]);
    }
    block = stillOwn(context, wish, block, result.block);
  }
  throw new Contended(`no block could be settled on in ${ASSIGN_ROUNDS_MAX} rounds`);
}

/** The first try is for the ordinals that the record names; when they are lost, for whatever the block then has. */
function takePart(
  context: Context,
  block: Block,
  part: Part,
  handleHash: string,
  pick: Pick,
): Promise<Take> {
  let named: readonly number[] | undefined = part.ordinals;
  return take(context, block, { token: part.token, handleHash }, (now) => {
    const ordinals = named ?? pick.choose(now);
    named = undefined;
    return ordinals instanceof Refusal ? undefined : ordinals;
  });
}

/** What an earlier execution of the same request came to: its answer, or nothing if this one is to go on. */
async function settleEarlier(
  attempt: Attempt,
  found: AssignmentRecord,
): Promise<Assignment | Refusal | undefined> {
  const resumed = await resume(attempt.context, found, attempt.request.digest);
  if (resumed instanceof Refusal) return resumed;
  if (resumed.kind === "answered") return assignment(resumed.record, resumed.held);
  attempt.seen = resumed.kind === "vacant" ? resumed.record : undefined;
  return undefined;
}

function placeOf(context: Context, { space, handle, keyId }: AssignRequest): RecordPlace {
  return {
    space,
    handleHash: handleHash(handle),
    id: keyId ?? fresh(context),
    keyed: keyId !== undefined,
  };
}

/** How blocks and ordinals are chosen for a request. */
interface Pick {
  remembered(): Block | undefined;
  find(rows: readonly AffinityRow[] | undefined): Promise<Block | Refusal>;
  /** The ordinals to take; nothing when the block is full; a refusal when no other block could do. */
  choose(block: Block): readonly number[] | Refusal | undefined;
}

interface Learned {
  readonly wish: BlockWish;
  readonly pick: Pick;
  readonly rows: readonly AffinityRow[] | undefined;
  /** What stands under the request's key. */
  readonly earlier: AssignmentRecord | undefined;
}

/** All that is read before anything is written. A function that remembers a block of the host reads nothing here. */
async function learn({ context, request, place }: Attempt): Promise<Learned | Refusal> {
  const { space, host, count, address } = request;
  const { store } = context;
  const warm = !address && context.memory.blocksOf(space, host).length > 0;
  const [configuration, rows, earlier] = await Promise.all([
    configurationOf(context, space),
    warm || address ? undefined : store.listRows(space, host),
    warm || !place.keyed ? undefined : store.readRecord(place),
  ]);
  const pools = address
    ? poolOf(configuration, address, request)
    : selectPools(configuration.pools, { ...request, use: request.use ?? "Workload" });
  if (pools instanceof Refusal) return pools;
  const wish: BlockWish = { space, host, count, pools, configuration };
  const tooMany = oversize(wish);
  if (tooMany) return tooMany;
  const pick = address
    ? pickAddress(context, wish, pools[0] as Pool, address)
    : pickAny(context, wish);
  return { wish, pick, rows, earlier };
}

function pickAny(context: Context, wish: BlockWish): Pick {
  return {
    remembered: () => rememberedBlock(context, wish),
    find: (rows) => findBlock(context, wish, rows),
    choose: (block) => {
      const pool = wish.pools.find(({ name }) => name === block.pool);
      const rules = slotRules(context, wish.configuration, pool);
      const ordinals = chooseOrdinals(block, wish.count, rules, context.random);
      return ordinals.length === wish.count ? ordinals : undefined;
    },
  };
}

/** Reservations bind automatic assignment only; a cooldown binds this as well (Calico 1.4, and our decision on cooldowns). */
function pickAddress(context: Context, wish: BlockWish, pool: Pool, address: Address): Pick {
  const text = formatAddress(address);
  return {
    remembered: () => undefined,
    find: () => findBlockAt(context, wish, pool, blockOf(address, pool.blockSize)),
    choose: (block) => {
      const ordinal = ordinalOf(block.cidr, address);
      const slot = block.slots.get(ordinal);
      if (!slot) return [ordinal];
      if (slot.kind !== "cooling")
        return new Refusal("already_assigned", `Address ${text} is assigned.`, { address: text });
      const rules = slotRules(context, wish.configuration, pool);
      if (isCooled(slot.sinceMs, rules)) return [ordinal];
      const availableAt = formatTime(cooledAtMs(slot.sinceMs, rules.cooldownMs));
      return new Refusal(
        "address_cooling",
        `Address ${text} was released a moment ago and may be assigned again at ${availableAt}.`,
        { address: text, availableAt },
      );
    },
  };
}

/** The one pool a specific address lies in, if it may serve. */
function poolOf(
  { pools }: SpaceConfiguration,
  address: Address,
  { use, pools: asked }: AssignRequest,
): readonly Pool[] | Refusal {
  const text = formatAddress(address);
  const pool = pools.find(({ cidr, state }) => state === "active" && contains(cidr, address));
  if (!pool)
    return new Refusal("no_pool_available", `Address ${text} lies in no pool.`, { address: text });
  const named =
    asked.length === 0 || asked.some((one) => one === pool.name || one === formatCidr(pool.cidr));
  const reason = named
    ? whyNot(pool, {
        family: address.family,
        use: use ?? pool.allowedUses[0] ?? "Workload",
        pools: [pool.name],
      })
    : "is not among the pools asked for";
  return reason === undefined
    ? [pool]
    : new Refusal(
        "no_pool_available",
        `Address ${text} lies in pool ${pool.name}, which ${reason}.`,
        {
          address: text,
          pools: [{ pool: pool.name, reason }],
        },
      );
}

/** One request is served by one block in one write; more than these hold is refused before anything is looked at. */
function oversize({ pools, count, configuration }: BlockWish): Refusal | undefined {
  const { maxAddressesPerRequest } = configuration.settings;
  const largest = Math.max(
    ...pools.map(({ cidr, blockSize }) => capacityOf({ cidr: { ...cidr, prefix: blockSize } })),
  );
  const most = Math.min(maxAddressesPerRequest, SLOTS_PER_WRITE_MAX, largest);
  if (count <= most) return undefined;
  const family = `ipv${pools[0]?.cidr.family}`;
  return new Refusal(
    "invalid_request",
    `${family} is ${count}; one request is served from one block, and may ask for at most ${most} addresses here.`,
    { fields: [{ field: family, value: count, problem: `must be at most ${most}` }] },
  );
}

function recordOf({ context, request, place }: Attempt, part: Part): AssignmentRecord {
  return {
    place,
    state: "live",
    handle: request.handle,
    host: request.host,
    attributes: request.attributes,
    want: request.count,
    parts: [part],
    given: new Set(),
    digest: request.digest,
    revision: fresh(context),
    atMs: context.now(),
  };
}

/** A block whose epoch moved is gone on with if it is still there and still the host's. */
function stillOwn(
  context: Context,
  wish: BlockWish,
  learned: Block,
  now: Block | undefined,
): Block | undefined {
  if (now?.host === wish.host) return now;
  context.memory.forget(wish.space, wish.host, learned.cidr);
  return undefined;
}

/** A request is refused only if no other execution of it has succeeded meanwhile. */
async function giveUp(attempt: Attempt, refusal: Refusal): Promise<Assignment | Refusal> {
  if (attempt.mine || !attempt.place.keyed) {
    await withdraw(attempt);
    return refusal;
  }
  const other = await attempt.context.store.readRecord(attempt.place);
  return (other && (await settleEarlier(attempt, other))) ?? refusal;
}

/** Nothing is held: the record of this execution goes, exactly as it was left. */
async function withdraw({ context, mine }: Attempt): Promise<void> {
  if (mine) await context.store.deleteRecord("give-up", mine);
}

function assignment(record: AssignmentRecord, held: readonly Holding[]): Assignment {
  const addresses = held.flatMap(({ part, block, ordinals }) =>
    [...ordinals]
      .sort((a, b) => a - b)
      .map((ordinal) => addressAt(block.cidr, ordinal))
      .map(
        (address): AssignedAddress => ({
          address: formatAddress(address),
          family: block.cidr.family,
          block: formatCidr(block.cidr),
          pool: block.pool,
          generation: generationOf(record, part, address),
          borrowed: block.host !== record.host,
        }),
      ),
  );
  return { handle: record.handle, addresses };
}
