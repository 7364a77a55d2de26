import { blocksOfCell, cellAt } from "../../../src/domain/cell.ts";
import { drainJobId } from "../../../src/domain/job.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import { jobKey, recordKey } from "../../../src/store/key.ts";
import { kindNameOf } from "../../../src/store/kinds.ts";
import type { Item, Key } from "../../../src/store/table.ts";
import { drafted } from "../drafts.ts";
import type { Fact } from "../fact.ts";
import type { LargeTable } from "../large-table.ts";
import { putHeld } from "../records.ts";
import { COLLECT, minutesUntil, RECLAIM, WORK } from "../runs.ts";
import {
  blockItem,
  EARLIER_MS,
  mapPages,
  namesOfOneShard,
  newCloud,
  poolOf,
  putSpace,
  rowItem,
  type Sabotage,
  someId,
} from "../scene.ts";

const MINUTES = 6;

/** Whatever cannot be read, everything else is worked on. */
export const unreadableFacts = (): readonly Fact[] => [
  {
    name: "One item that cannot be read stops nothing else, wherever it is",
    size: "an item of each kind in turn, in a space that shares its shard with another",
    bound: 0,
    unit: "things left undone",
    async measure(sabotage) {
      let undone = 0;
      for (const name of await kindsLeft()) undone += (await undoneBeside(name, sabotage)).length;
      return undone;
    },
  },
];

/** The kinds of items that stand when the schedules have run, but for the one without which no table is read. */
async function kindsLeft(): Promise<readonly string[]> {
  const { items } = await worked();
  const names = new Set([...items.scan()].flatMap((item) => kindNameOf(item) ?? []));
  names.delete("TABLE");
  return [...names];
}

/** Two spaces of one shard in which everything has work, after the first runs. */
async function worked(sabotage?: Sabotage) {
  const cloud = await newCloud(sabotage);
  const [first = "", second = ""] = namesOfOneShard();
  for (const space of [first, second]) putWork(cloud.items, space);
  const schedules = [...RECLAIM, ...COLLECT, ...WORK];
  return { ...cloud, first, second, schedules };
}

/** What is not done in the second space when an item of a kind cannot be read in the first. */
async function undoneBeside(name: string, sabotage?: Sabotage): Promise<readonly Key[]> {
  const { items, first, second, schedules, ...cloud } = await worked(sabotage);
  const isOfFirst = (item: Item) =>
    `${item.pk}#`.includes(`#${first}#`) || item.sk === first || item.sk.startsWith(`${first}#`);
  const broken = [...items.scan()].find((item) => kindNameOf(item) === name && isOfFirst(item));
  // A cursor is no space's.
  const other = [...items.scan()].find((item) => kindNameOf(item) === name);
  const item = broken ?? other;
  if (!item) throw new Error(`no item is of the kind ${name}`);
  items.put({ ...item, f: 99 });
  const work = workOf(second);
  let left = work;
  await cloud.clock.run(() =>
    minutesUntil(cloud, schedules, MINUTES, () => {
      left = left.filter(({ key, isDone }) => !isDone(items.get(key)));
      return left.length === 0;
    }),
  );
  return left.map(({ key }) => key);
}

interface Task {
  readonly key: Key;
  isDone(item: Item | undefined): boolean;
}

const tasks = new Map<string, readonly Task[]>();
const workOf = (space: string): readonly Task[] => tasks.get(space) ?? [];

/** An idle block, a lease that ran out, a request that was cut off, a pool to drain; and one of all else that may stand. */
function putWork(items: LargeTable, space: string): void {
  const pool = poolOf(space, "main", "10.0.0.0/20");
  const drained: Pool = poolOf(space, "drained", "10.1.0.0/20", { disabled: true });
  putSpace(items, space, [pool, drained], {}, ["10.0.15.0/26"]);
  const [idle, held] = blocksOfCell(pool, cellAt(pool, 0n));
  const [empty] = blocksOfCell(drained, cellAt(drained, 0n));
  if (!idle || !held || !empty) throw new Error("a pool without blocks");
  const idleSinceMs = EARLIER_MS;
  const idleBlock = blockItem(pool, { cidr: idle, host: "host:node-0", idleSinceMs });
  const emptyBlock = blockItem(drained, { cidr: empty, host: "host:node-0", idleSinceMs });
  items.put(idleBlock);
  items.put(emptyBlock);
  items.put(rowItem(pool, "host:node-0", 0, idle));
  items.put(rowItem(drained, "host:node-0", 1, empty));
  items.put(rowItem(pool, "host:node-1", 0, held));
  for (const each of [pool, drained]) for (const page of mapPages(each, [0n])) items.put(page);
  const records = putHeld(items, pool, { cidr: held, host: "host:node-1" }, [
    { handle: `${space}-leased`, changes: { expiresAtMs: EARLIER_MS } },
    { handle: `${space}-cut-off`, changes: { state: "open" } },
    { handle: `${space}-live` },
  ]);
  const at = { space, atMs: EARLIER_MS };
  items.put(
    drafted((store) =>
      store.createNode({ ...at, name: "node-0", id: someId(), labels: {}, revision: someId() }),
    ),
  );
  items.put(drafted((store) => store.enterNode({ ...at, name: "node-0", id: someId() })));
  items.put(
    drafted((store) =>
      store.createNamespace({ ...at, name: "shop", labels: {}, revision: someId() }),
    ),
  );
  const id = drainJobId(drained.id, drained.revision);
  items.put(
    drafted((store) =>
      store.createJob({
        space,
        id,
        kind: "pool.drain",
        pool: drained.name,
        poolId: drained.id,
        poolRevision: drained.revision,
        state: "running",
        createdAtMs: EARLIER_MS,
        updatedAtMs: EARLIER_MS,
        markedAtMs: EARLIER_MS,
        detail: "",
        revision: someId(),
      }),
    ),
  );
  const isGone = (item: Item | undefined) => item === undefined;
  tasks.set(space, [
    { key: idleBlock, isDone: isGone },
    { key: emptyBlock, isDone: isGone },
    ...records.slice(0, 2).map(({ place }) => ({ key: recordKey(place), isDone: isGone })),
    { key: jobKey(space, id), isDone: (item) => item?.state === "done" },
  ]);
}
