import fc from "fast-check";
import { handleHash } from "../src/base/hash.ts";
import type { BlockAffinity } from "../src/kernel/values/affinity.ts";
import type { Allocation } from "../src/kernel/values/allocation.ts";
import type { Block } from "../src/kernel/values/block.ts";
import { ID_BYTES } from "../src/kernel/values/fresh.ts";
import type { Slot } from "../src/kernel/values/slot.ts";
import { type Address, BITS, type Family, type Parsed, parseAddress } from "../src/net/address.ts";
import { type Cidr, cidrOf, type Interval, parseCidr, parseInterval } from "../src/net/cidr.ts";
import type { Selector } from "../src/net/selector.ts";
import { parseSelector } from "../src/net/selector-parser.ts";
import type {
  Application,
  ListedAddress,
  ListedState,
} from "../src/nouns/application/application.ts";
import { type PoolJob, SPACE_JOB_ID, type SpaceJob } from "../src/nouns/job/job.ts";
import type { AddressPlan } from "../src/nouns/pool/address-plan.ts";
import type { Pool } from "../src/nouns/pool/pool.ts";

/** Values as tests write them: by text, and with only what the test is about. */

export const address = (text: string): Address => read(parseAddress(text));
export const network = (text: string): Cidr => read(parseCidr(text));
export const interval = (text: string): Interval => read(parseInterval(text));
export const intervals = (...texts: string[]): Interval[] => texts.map(interval);
export const selector = (text: string): Selector => read(parseSelector(text));

function read<T>(result: Parsed<T>): T {
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

export const BLOCKS_OF_EACH_SIZE = [
  { size: "the largest IPv4 block", cidr: network("10.32.16.0/20"), capacity: 4_096 },
  { size: "a default IPv4 block", cidr: network("10.32.0.64/26"), capacity: 64 },
  { size: "the smallest IPv4 block", cidr: network("10.32.0.7/32"), capacity: 1 },
  { size: "the largest IPv6 block", cidr: network("2001:db8::1000/116"), capacity: 4_096 },
  { size: "a default IPv6 block", cidr: network("2001:db8::40/122"), capacity: 64 },
  { size: "the smallest IPv6 block", cidr: network("2001:db8::7/128"), capacity: 1 },
] as const;

export const NOW_MS = 1_700_000_000_000;

/** A token as `freshId` makes them, told apart by a number. */
export const token = (number: number): string => {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeUInt32BE(number);
  return bytes.toString("base64url");
};

export const taken = (tokenNumber = 1, handle = "web-1"): Slot => ({
  kind: "taken",
  token: token(tokenNumber),
  handleHash: handleHash(handle),
});
export const cooling = (sinceMs: number, tokenNumber = 1): Slot => ({
  kind: "cooling",
  token: token(tokenNumber),
  sinceMs,
});
export const quarantined = (sinceMs: number, seconds: number, tokenNumber = 1): Slot => ({
  kind: "quarantined",
  token: token(tokenNumber),
  handleHash: handleHash("web-1"),
  sinceMs,
  seconds,
});
export const held = (tokenNumber = 1, application = "web"): Slot => ({
  kind: "held",
  token: token(tokenNumber),
  applicationHash: handleHash(application),
});
/** A tag of a later version. */
export const foreign: Slot = { kind: "foreign", tag: Uint8Array.of(9, 1, 2, 3) };

export const blockWith = (
  slots: Readonly<Record<number, Slot>>,
  changes: Partial<Omit<Block, "slots">> = {},
): Block => ({
  space: "default",
  cidr: network("10.0.0.0/29"),
  pool: "pool",
  poolId: "id",
  host: "host:node-1",
  claimedAtMs: NOW_MS,
  epoch: "epoch",
  revision: "revision",
  ...changes,
  slots: new Map(Object.entries(slots).map(([ordinal, slot]) => [Number(ordinal), slot])),
});

export const poolWith = (changes: Partial<Pool> = {}): Pool => ({
  space: "default",
  name: "pool",
  id: "id",
  state: "active",
  revision: "revision",
  cidr: network("10.0.0.0/16"),
  blockSize: 29,
  disabled: false,
  assignmentMode: "Automatic",
  allowedUses: ["Workload"],
  borrowing: "allowed",
  ...changes,
});

/** The plan that gives a pool its range. */
export const planWith = ({ space, name, id, parentId, cidr, blockSize }: Pool): AddressPlan => ({
  space,
  entries: [{ pool: name, id, ...(parentId !== undefined && { parentId }), cidr, blockSize }],
  revision: "revision",
});

export const affinityWith = (changes: Partial<BlockAffinity> = {}): BlockAffinity => ({
  space: "default",
  host: "host:node-1",
  family: 4,
  place: 0,
  block: network("10.0.0.0/29"),
  pool: "pool",
  state: "confirmed",
  revision: "revision",
  atMs: NOW_MS,
  ...changes,
});

/** The part of a job that every kind has, before its first step. */
const BEGUN = {
  space: "default",
  state: "running",
  createdAtMs: NOW_MS,
  updatedAtMs: NOW_MS,
  detail: "",
  revision: "revision",
} as const;

/** The job that deletes the pool `pool`, before its first step. */
export const jobWith = (changes: Partial<PoolJob> = {}): PoolJob => ({
  ...BEGUN,
  id: "delete-id",
  kind: "pool.delete",
  pool: "pool",
  poolId: "id",
  poolRevision: "revision",
  ...changes,
});

/** The job that deletes the space, before its first step. */
export const spaceJobWith = (changes: Partial<SpaceJob> = {}): SpaceJob => ({
  ...BEGUN,
  id: SPACE_JOB_ID,
  kind: "space.delete",
  spaceRevision: "space-revision",
  stamp: "stamp",
  removed: 0,
  ...changes,
});

/** A live allocation of `web-1`, which asked for one address and has it under token 1. */
export const allocationWith = (changes: Partial<Allocation> = {}): Allocation => ({
  place: { space: "default", handleHash: handleHash("web-1"), id: "record-1", keyed: false },
  state: "live",
  handle: "web-1",
  host: "host:node-1",
  attributes: {},
  owners: new Map(),
  want: 1,
  missing: [],
  parts: [{ token: token(1), block: network("10.0.0.0/29"), count: 1, ordinals: [0] }],
  released: new Set(),
  conflicts: new Set(),
  charges: [],
  quotaSlots: [],
  reused: [],
  digest: "digest",
  revision: "revision",
  atMs: NOW_MS,
  ...changes,
});

const addressOf = (family: Family): fc.Arbitrary<Address> =>
  fc
    .bigInt({ min: 0n, max: (1n << BigInt(BITS[family])) - 1n })
    .map((value) => ({ family, value }));
const cidrOfFamily = (family: Family): fc.Arbitrary<Cidr> =>
  fc
    .tuple(addressOf(family), fc.nat(BITS[family]))
    .map(([address, prefix]) => cidrOf(address, prefix));

export const anyAddress = fc.oneof(addressOf(4), addressOf(6));
export const anyCidr = fc.oneof(cidrOfFamily(4), cidrOfFamily(6));
export const anyToken = fc
  .uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES })
  .map((bytes) => Buffer.from(bytes).toString("base64url"));
export const anyHandleHash = fc.string().map(handleHash);

/** An application with two replicas that wants an address more than it has replicas. */
export const applicationWith = (changes: Partial<Application>): Application => ({
  space: "default",
  namespace: "shop",
  kind: "Deployment",
  name: "web",
  state: "active",
  replicas: 2,
  start: 0,
  addresses: { number: "+1", interfaces: [{ name: "", pools: ["pool"] }], keep: false },
  targets: [{ interface: "", family: 4, poolIds: ["id"] }],
  listed: [],
  ordinals: [],
  revision: "revision",
  ...changes,
});

export const listed = (text: string, state: ListedState = "in"): ListedAddress => ({
  address: address(text),
  interface: "",
  poolId: "id",
  blockSize: 29,
  state,
});
