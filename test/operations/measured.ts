import { handleHash } from "../../src/base/hash.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { NamedAddress } from "../../src/kernel/allocations/identify-address.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { ensureBlocks } from "../../src/kernel/assign/ensure-blocks.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import { reportConflict } from "../../src/kernel/release/report-conflict.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { parseAddress } from "../../src/net/address.ts";
import { formatCidr, intervalOf } from "../../src/net/cidr.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { liftQuarantine } from "../../src/nouns/address/operations/lift-quarantine.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { listBlocks } from "../../src/nouns/block/operations/list-blocks.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { reserve } from "../../src/nouns/reservation/operations/reserve.ts";
import { utilization } from "../../src/nouns/utilization/operations/utilization.ts";
import { addressesShown, tryPutCilium } from "../cilium-requests.ts";

/** Operations whose calls are counted: on DynamoDB with their units, and where something is large. */

/** The maximum cost of an operation: calls in sequence, write units, read units. */
export type Budget = readonly [inSequence: number, writeUnits: number, readUnits: number];

/** A pool, and a host with a block in it that has room. */
interface Ground {
  readonly pool: Pool;
  /** Makes a request of the host for one address, under a handle of its own. */
  request(): AssignRequest;
  /** Makes the same request under a handle that may have much else. */
  named(): AssignRequest;
}

/** A row of the bench. */
interface Row {
  readonly row: string;
  readonly budget: Budget;
  /** True if what it leaves in the block makes the block larger, so that other rows would cost more after it. */
  readonly isLast?: boolean;
}

export interface Measured {
  /** Assigns what the operation is about. */
  prepare?(context: Context, ground: Ground): Promise<Assignment | undefined>;
  act(context: Context, ground: Ground, told: Assignment): Promise<unknown>;
  /** Leaves the block of the host as it was. */
  undo?(context: Context, ground: Ground, told: Assignment): Promise<unknown>;
  /** Its row of `npm run bench:calls`, by a function that knows the block, or why it has none. */
  readonly bench: Row | { readonly not: string };
  /** The statement of `npm run scale` of the calls that it needs at most, by a function that knows the block or has just started. */
  readonly scale: {
    readonly fact: string;
    readonly calls: number;
    readonly by: "a warm function" | "a cold function";
  };
}

const CLAIMS = { not: "It claims a block; the bench measures claims at each fill of the pool." };
const COLD = { not: "The bench measures cold functions with hosts that they do not know." };
const OWN_SCENE = { not: "bench/cilium.ts measures a CiliumNode from its first PUT on." };
const BY_SIZE = { not: "Its cost depends on what is in the pool, which is a fact of scale." };

const ANYWHERE = {
  not: "Its handle reads allocations anywhere, so its cost depends on the rows before it.",
};

const one = (context: Context, { request }: Ground) => assigned(context, request());
const oneKeyed = (context: Context, { request }: Ground) => assigned(context, keyed(request()));
const give = (context: Context, { pool }: Ground, told: Assignment) =>
  done(releaseAddress(context, pool.space, proofOf(told)));
const report = (context: Context, { pool }: Ground, told: Assignment) =>
  done(reportConflict(context, pool.space, proofOf(told)));
const lift = (context: Context, { pool }: Ground, told: Assignment) =>
  done(liftQuarantine(context, pool.space, proofOf(told).address));
const oneNamed = (context: Context, { named }: Ground) => assigned(context, named());
const oneLeased = (context: Context, { named }: Ground) =>
  assigned(context, { ...named(), leaseSeconds: 60 });

export const MEASURED: readonly Measured[] = [
  {
    act: one,
    undo: give,
    bench: { row: "assign, warm", budget: [2, 3, 0] },
    scale: {
      fact: "An assign by a function that knows the host's block",
      calls: 2,
      by: "a warm function",
    },
  },
  {
    act: one,
    bench: COLD,
    scale: {
      fact: "An assign by a function that has just started",
      calls: 6,
      by: "a cold function",
    },
  },
  {
    prepare: one,
    act: give,
    bench: { row: "release by address and generation", budget: [2, 3, 0] },
    scale: { fact: "A release by address and generation", calls: 2, by: "a cold function" },
  },
  {
    act: oneKeyed,
    undo: give,
    bench: { row: "assign with a key, warm", budget: [2, 3, 0] },
    scale: {
      fact: "An assign with a key by a function that knows the host's block",
      calls: 2,
      by: "a warm function",
    },
  },
  {
    prepare: oneKeyed,
    act: give,
    bench: { row: "release by address and generation, with a key", budget: [2, 4, 0] },
    scale: {
      fact: "A release by address and generation of a request with a key",
      calls: 2,
      by: "a cold function",
    },
  },
  {
    prepare: one,
    act: report,
    undo: lift,
    bench: { row: "conflict by generation", budget: [2, 4, 0] },
    scale: { fact: "A report of a conflict", calls: 4, by: "a cold function" },
  },
  {
    prepare: oneKeyed,
    act: report,
    undo: lift,
    bench: { row: "conflict by generation, with a key", budget: [2, 4, 0] },
    scale: {
      fact: "A report of a conflict of a request with a key",
      calls: 4,
      by: "a cold function",
    },
  },
  {
    act: (context, { named }) => assigned(context, { ...named(), limitPerHandle: 2 }),
    undo: give,
    bench: ANYWHERE,
    scale: { fact: "An assign with a limit per handle", calls: 9, by: "a cold function" },
  },
  {
    prepare: async (context, ground) => {
      const told = await one(context, ground);
      await report(context, ground, told);
      return told;
    },
    act: lift,
    bench: { row: "lift of a quarantine", budget: [3, 2, 2], isLast: true },
    scale: { fact: "The lift of a quarantine", calls: 5, by: "a cold function" },
  },
  {
    prepare: oneNamed,
    act: (context, { pool }, told) => {
      const { address } = proofOf(told);
      return done(releaseAddress(context, pool.space, { address, handle: told.handle }));
    },
    bench: { row: "release by address and handle", budget: [4, 3, 2], isLast: true },
    scale: { fact: "A release by address and handle", calls: 6, by: "a cold function" },
  },
  {
    prepare: one,
    act: (context, { pool }, { handle }) => releaseHandle(context, pool.space, handle),
    bench: { row: "release by handle, one allocation without a key", budget: [3, 3, 1] },
    scale: { fact: "A release by a handle of one allocation", calls: 4, by: "a cold function" },
  },
  {
    prepare: oneKeyed,
    act: (context, { pool }, { handle }) => releaseHandle(context, pool.space, handle),
    bench: { row: "release by handle, a keyed allocation", budget: [5, 4, 2] },
    scale: {
      fact: "A release by a handle of one allocation with a key",
      calls: 4,
      by: "a cold function",
    },
  },
  {
    prepare: oneLeased,
    act: (context, { pool }, told) => {
      const { address } = proofOf(told);
      return done(
        amendAddress(context, pool.space, { address, handle: told.handle, leaseSeconds: 60 }),
      );
    },
    undo: give,
    bench: { row: "change of a lease", budget: [5, 1, 4], isLast: true },
    scale: { fact: "A change of a lease", calls: 7, by: "a cold function" },
  },
  {
    prepare: oneNamed,
    act: (context, { pool }, told) => done(readAddress(context, pool.space, proofOf(told).address)),
    undo: give,
    bench: { row: "read of an address", budget: [2, 0, 2], isLast: true },
    scale: { fact: "A read of an address", calls: 4, by: "a cold function" },
  },
  {
    prepare: (context, { named }) => assigned(context, { ...named(), host: "host:guest" }),
    act: (context, { pool }) => releaseHost(context, pool.space, "host:guest"),
    bench: CLAIMS,
    scale: { fact: "A release by a host that has one address", calls: 8, by: "a cold function" },
  },
  {
    act: (context, { request }) => assigned(context, { ...request(), host: "host:new" }),
    bench: CLAIMS,
    scale: { fact: "An assign that claims a block", calls: 11, by: "a cold function" },
  },
  {
    act: (context, { pool: { space } }) =>
      ensureBlocks(context, { space, host: "host:new", families: [4], pools: [] }),
    bench: CLAIMS,
    scale: { fact: "A first block for a host", calls: 9, by: "a cold function" },
  },
  {
    act: (context) => tryPutCilium(context, "mine", addressesShown(1, { spare: 1 })),
    bench: OWN_SCENE,
    scale: { fact: "A PUT of a CiliumNode that gets an address", calls: 12, by: "a cold function" },
  },
  {
    prepare: async (context) => {
      await tryPutCilium(context, "mine", addressesShown(1, { spare: 1 }));
      return undefined;
    },
    act: (context) => tryPutCilium(context, "mine", addressesShown(1, { spare: 1 })),
    bench: OWN_SCENE,
    scale: { fact: "A PUT of a CiliumNode with nothing new", calls: 6, by: "a cold function" },
  },
  {
    act: (context, { request }) => assigned(context, { ...request(), ...TWO_INTERFACES }),
    bench: { not: "The bench measures two interfaces of both families." },
    scale: {
      fact: "An assign of two interfaces by a function that knows the host's block",
      calls: 4,
      by: "a warm function",
    },
  },
  {
    act: (context, { pool: { space, name } }) => utilization(context, { space, name, limit: 100 }),
    bench: BY_SIZE,
    scale: {
      fact: "A page of 100 blocks of a pool's utilization",
      calls: 5,
      by: "a cold function",
    },
  },
  {
    act: (context, { pool }) => {
      const cidr = { ...pool.cidr, prefix: pool.blockSize };
      const reservation = { cidrs: [formatCidr(cidr)], intervals: [intervalOf(cidr)] };
      return reserve(context, pool.space, "web", reservation, { noneMatch: "any" });
    },
    bench: { not: "It leaves the pool with a reservation, which the rows after it would read." },
    scale: { fact: "A reservation of a block", calls: 9, by: "a cold function" },
  },
  {
    act: (context, { pool: { space, name } }) =>
      listBlocks(context, { space, pool: name, limit: 100 }),
    bench: BY_SIZE,
    scale: { fact: "A page of 100 blocks", calls: 6, by: "a cold function" },
  },
];

const TWO_INTERFACES: Partial<AssignRequest> = {
  wanted: ["eth0", "net1"].map((name) => ({ family: 4, count: 1, interface: name })),
  interfaces: ["eth0", "net1"].map((name) => ({ name, pools: [] })),
};

const keyed = (request: AssignRequest): AssignRequest => ({
  ...request,
  keyId: handleHash(`key of ${request.handle}`),
});

/** Assigns addresses. @throws {Error} if the answer is not an assignment */
async function assigned(context: Context, request: AssignRequest): Promise<Assignment> {
  return done(assign(context, request));
}

/** Returns an answer that is no rejection, and of a release no conflict. @throws {Error} if it is */
async function done<T>(answering: Promise<T | Rejection>): Promise<T> {
  const answer = await answering;
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  const { status } = (answer ?? {}) as { readonly status?: string };
  if (status === "conflict") throw new Error(JSON.stringify(answer));
  return answer;
}

/** Returns the first address of an assignment with its generation. */
function proofOf({ addresses: [first] }: Assignment): NamedAddress {
  const address = parseAddress(first?.address ?? "");
  const generation = parseGeneration(first?.generation ?? "");
  if (!address.ok || !generation.ok) throw new Error("an answer without an address");
  return { address: address.value, generation: generation.value };
}
