import { expect } from "vitest";
import { claimAffinities } from "../../src/kernel/affinities/claim-range.ts";
import {
  releaseAffinities,
  releaseAffinity,
  releaseRange,
} from "../../src/kernel/affinities/release-range.ts";
import { ensureBlocks } from "../../src/kernel/assign/ensure-blocks.ts";
import { disown } from "../../src/kernel/blocks/disown-block.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { releasePool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  cidrOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import type { Operation } from "./operation.ts";
import { at } from "./releases.ts";

/** Claims and releases of affinities, by hosts, operators and workers. */
export const AFFINITIES: readonly Operation[] = [
  {
    name: "a claim of a range for a host",
    step: "create-block",
    prepare: withNeighbour,
    walk: (context) => claimAffinities(context, { space: SPACE, host: "host:node-1", cidr: RANGE }),
    again: "the same",
    late: [
      {
        step: "create-block",
        why: "the place is another's by now; an empty block serves whoever finds it, and gets its affinity back",
      },
    ],
  },
  {
    name: "a claim of a range that goes on after its first blocks",
    step: "create-block",
    prepare: withNeighbour,
    walk: (context) => claimAffinities(context, LATER_BLOCKS),
    again: "the same",
  },
  {
    name: "a claim of a block that serves on without an owner",
    step: "seize",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 1)) };
      await releaseAffinities(calm, wholly("host:node-1"));
      return told;
    },
    walk: (context) => claimAffinities(context, { space: SPACE, host: "host:node-2", cidr: RANGE }),
    again: "the same",
  },
  {
    name: "a block ensured for a host that has none",
    step: "create-block",
    prepare: withNeighbour,
    walk: ensureOne,
    again: "the same",
  },
  {
    name: "a release of a host's affinities in a range",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseRange(context, { ...wholly("host:node-1"), cidr: HALF }),
    kept: ["old", "guest"],
    again: "the same",
  },
  {
    name: "a release of all affinities of a host",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseAffinities(context, wholly("host:node-1")),
    kept: ["old", "guest"],
    again: async (context) => {
      await releaseAffinities(context, wholly("host:node-1"));
      expect(await context.store.listAffinities(SPACE, "host:node-1")).toEqual([]);
    },
    late: [
      { step: "delete-block", rejectedBy: "delete-rev", why: "the reclaimer deleted the block" },
    ],
  },
  {
    name: "a release of those affinities of a host whose blocks are empty",
    step: "delete-block",
    prepare: hostWithBlocks,
    walk: (context) => releaseAffinities(context, { ...wholly("host:node-1"), mustBeEmpty: true }),
    kept: ["old", "guest"],
    again: "the same",
  },
  {
    name: "a release of the affinity to a block in use",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseOne(context, "10.0.0.0/31"),
    kept: ["old", "guest"],
    again: async (context) => {
      await releaseOne(context, "10.0.0.0/31");
      expect(await releaseOne(context, "10.0.0.0/31")).toMatchObject({ status: "not_owned" });
    },
  },
  {
    name: "a release of the affinity to an empty block",
    step: "delete-block",
    prepare: hostWithBlocks,
    walk: (context) => releaseOne(context, "10.0.0.2/31"),
    kept: ["old", "guest"],
    again: "the same",
  },
  {
    name: "a release of the affinities of a pool that is asked for",
    step: "create-job",
    prepare: hostWithBlocks,
    walk: (context) => releasePool(context, wholePool),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
      expect(await context.store.listAffinities(SPACE, "host:node-1")).toEqual([]);
    },
  },
  {
    name: "a release of the affinities of a pool that is asked for again when it is done",
    step: "begin-job",
    prepare: async (world) => {
      const told = await hostWithBlocks(world);
      await releasePool(world.calm, wholePool);
      await work(world.calm, world.clock, 1);
      return told;
    },
    walk: (context) => releasePool(context, wholePool),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
    },
  },
  {
    name: "a worker that takes the blocks of a pool from their hosts",
    step: "disown",
    prepare: async (world) => {
      const told = await hostWithBlocks(world);
      await releasePool(world.calm, wholePool);
      return told;
    },
    walk: (context) => runJobs(context),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
    },
  },
  {
    name: "a block taken from its host",
    step: "disown",
    walk: disownFirst,
    again: "the same",
    late: [
      {
        step: "disown",
        why: "the borrowed block stands before it, so what the host holds is found under it either way",
      },
    ],
  },
  {
    name: "an empty block taken from its host",
    step: "disown",
    prepare: async (world) => {
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 1)));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return {};
    },
    walk: disownFirst,
    kept: [],
    again: "the same",
  },
];

const RANGE = cidrOf("10.0.0.0/29");
const HALF = cidrOf("10.0.0.0/30");
const LATER_BLOCKS = {
  space: SPACE,
  host: "host:node-1",
  cidr: RANGE,
  position: addressOf("10.0.0.2"),
} as const;

const wholePool = { space: SPACE, name: "pool", mustBeEmpty: false };
const wholly = (host: HostId) => ({ space: SPACE, host, mustBeEmpty: false });
const releaseOne = (context: Context, cidr: string) =>
  releaseAffinity(context, { ...wholly("host:node-1"), cidr: cidrOf(cidr) });

async function ensureOne(context: Context) {
  return ensureBlocks(context, { space: SPACE, host: "host:node-1", families: [4], pools: [] });
}

/** Disowns the first block of a host. */
async function disownFirst(context: Context) {
  const [affinity] = await context.store.listAffinities(SPACE, "host:node-1");
  const block = affinity && (await context.store.readBlock(SPACE, affinity.block));
  return block && disown(context, block);
}

/** Assigns an address to another host. */
async function withNeighbour({ calm }: World) {
  return { old: await assigned(calm, { ...requestOf("old", 1), host: "host:node-2" }) };
}

/**
 * Prepares a host with two blocks. The first is in use, also by a host that borrowed from it. The
 * second is empty and past its minimum age.
 */
async function hostWithBlocks({ calm, clock }: World) {
  const old = await assigned(calm, at("old", "host:node-1", "10.0.0.0"));
  const guest = await assigned(calm, at("guest", "host:node-2", "10.0.0.1"));
  await releaseAll(calm, await assigned(calm, at("gone", "host:node-1", "10.0.0.2")));
  clock.nowMs += 70_000;
  return { old, guest };
}
