import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { groupIndexOf, groupOf } from "../../src/kernel/values/block-group.ts";
import type { hostId } from "../../src/kernel/values/host.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { assigned, give } from "../asked.ts";
import { makePool, readCidr } from "../pool.ts";
import { type Bed, requestOf } from "./bed.ts";
import { fillByHosts, fillUp } from "./fills.ts";
import { ageBlock, RawPairs, replay, writesOf } from "./raw.ts";
import { type Contest, oneByOne } from "./turns.ts";

const CLAIM = "claim a block, and assign from it";
const ASSIGN = "assign, warm";
/** The number of blocks of 64 in a /16. */
const BLOCKS_OF_A_16 = 1_024;

/** Measures claims and assigns by the number of blocks in a /8, and by the share of taken blocks in a /16. */
export async function growthContests(
  bed: Bed,
  {
    blocks,
    fills,
    ms,
    say,
  }: {
    readonly blocks: readonly number[];
    readonly fills: readonly number[];
    readonly ms: number;
    readonly say: (line: string) => void;
  },
): Promise<readonly Contest[]> {
  const contests: Contest[] = [];
  for (const count of blocks) {
    const site = await siteOf(bed, `blocks-${count}`, "10.0.0.0/8");
    say(`filling a /8 with ${count} blocks`);
    await fillByHosts(bed, site, count);
    contests.push(...(await contestsAt(bed, site, blocksName(count), ms)));
  }
  for (const percent of fills) {
    const site = await siteOf(bed, `full-${percent}`, "10.0.0.0/16");
    await fillUp(bed, site, Math.ceil((BLOCKS_OF_A_16 * (100 - percent)) / 100));
    contests.push(...(await contestsAt(bed, site, fillName(percent), ms)));
  }
  return contests;
}

const blocksName = (count: number) => `${count.toLocaleString("en")} blocks in a /8`;
const fillName = (percent: number) => `a /16, ${percent} % full`;

const siteOf = (bed: Bed, space: string, cidr: string): Promise<Pool> =>
  makePool(bed.coldFunction(), { space, name: "pool", cidr });

async function contestsAt(
  bed: Bed,
  site: Pool,
  where: string,
  ms: number,
): Promise<readonly Contest[]> {
  const { space } = site;
  // A host whose block has been in use for a while.
  await ageBlock(bed, space, "resident");
  const raw = await RawPairs.recorded(bed, space);
  const slot = await raw.slotOf("resident", 0);
  const resident = bed.coldFunction();
  const claimer = bed.coldFunction();
  await give(resident, space, await assigned(resident, requestOf(space, "resident")));
  let hosts = 0;
  let replays = 0;
  const newcomer = () => requestOf(space, `newcomer-${hosts++}`);
  const claimAndUndo = async () => {
    const request = newcomer();
    const told = await assigned(claimer, request);
    return () => undo(claimer, site, request.host, told);
  };
  // The first one enters its block group into the index; the others mostly find it there.
  for (let i = 0; i < 2; i++) await (await claimAndUndo())();
  let undoClaim: (() => Promise<unknown>) | undefined;
  const sent = await bed.recording(async () => {
    undoClaim = await claimAndUndo();
  });
  await undoClaim?.();
  const writes = writesOf(sent);
  const common = { section: "growth", callers: 1 } as const;
  const callsSoFar = () => bed.calls;
  return [
    {
      ...common,
      name: `${CLAIM}: ${where}`,
      beside: `its ${writes.length} writes`,
      ours: () => oneByOne(ms, callsSoFar, claimAndUndo),
      raw: () =>
        oneByOne(ms, writes.length, async () => {
          await replay(bed, writes, `${replays++}`);
          return undefined;
        }),
    },
    {
      ...common,
      name: `${ASSIGN}: ${where}`,
      beside: "PutItem, UpdateItem",
      ours: () =>
        oneByOne(ms, callsSoFar, async () => {
          const told = await assigned(resident, requestOf(space, "resident"));
          return () => give(resident, space, told);
        }),
      raw: () =>
        oneByOne(ms, 2, async () => {
          await slot.assign();
          return slot.release;
        }),
    },
  ];
}

/** Restores the pool to the state before the host had its block. */
async function undo(
  context: Context,
  { space, id, ...grid }: Pool,
  host: ReturnType<typeof hostId>,
  told: Assignment,
): Promise<void> {
  const { store } = context;
  await give(context, space, told);
  const cidr = readCidr(told.addresses[0]?.block ?? "");
  const block = await store.readBlock(space, cidr);
  if (!block) throw new Error("a claim that left no block");
  await store.deleteBlock(block);
  for (const affinity of await store.listAffinities(space, host))
    await store.deleteAffinity("affinity-undo", affinity);
  await store.unmarkFull(space, id, groupIndexOf(grid, groupOf(cidr)));
}
