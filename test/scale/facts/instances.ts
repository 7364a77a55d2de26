import { namesOf } from "../../../bench/instances.ts";
import { handleHash } from "../../../src/base/hash.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseHost } from "../../../src/kernel/release/release-host.ts";
import { releaseInstance } from "../../../src/kernel/release/release-instance.ts";
import type { Allocation } from "../../../src/kernel/values/allocation.ts";
import {
  blocksOfGroup,
  groupAt,
  groupIndexOf,
  groupOf,
} from "../../../src/kernel/values/block-group.ts";
import { type HostId, hostId } from "../../../src/kernel/values/host.ts";
import type { Workload } from "../../../src/nouns/application/workload.ts";
import { blockPk, hostPk } from "../../../src/table/key.ts";
import { putHeld } from "../allocations.ts";
import { someId } from "../drawn.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction, type Sabotage } from "../lambda.ts";
import { callsOf, requestOf } from "../requests.ts";
import { NO_ANSWERS, walking } from "../sabotages.ts";
import {
  affinityItem,
  indexPages,
  type LargeCloud,
  type NewCloud,
  poolOf,
  putSpace,
} from "../scene.ts";
import { SPACE } from "./layout.ts";

const HOST: HostId = "host:mine";
const ADDRESSES_PER_BLOCK = 64;
const REPEATS_MAX = 10;
const POOL = poolOf(SPACE, "main", "10.0.0.0/12");

/** The pods of a StatefulSet; each keeps its address. */
const podOf = (n: number, uid = `uid-${n}`): Workload => ({
  namespace: "shop",
  kind: "StatefulSet",
  name: "db",
  instance: `db-${n}`,
  uid,
});

type State = "live" | "kept";

/** Returns the facts that what instances keep costs no other instance, and that its release ends. */
export function instanceFacts(form: Form): readonly Fact[] {
  const kept = form === "full" ? 10_000 : 300;
  const [stay, stayed] = form === "full" ? [1_000, 3_000] : [200, 200];
  const sizes: readonly Size[] = [
    {
      size: `a host with ${kept} kept allocations of instances`,
      hostOf: () => HOST,
      broken: walking("the places of the host", [hostPk(SPACE, HOST)]),
    },
    {
      size: `${kept} kept allocations of instances in the space`,
      hostOf: (block) => hostId("host", `node-${block}`),
      broken: walking("a block group of the pool", [blockPk(SPACE, groupAt(POOL, 0n))]),
    },
  ];
  return [
    ...OPERATIONS.flatMap(({ operation, calls, before, act }) =>
      sizes.map(
        ({ size, hostOf, broken }): Fact => ({
          name: `${operation} needs at most ${calls} calls`,
          size,
          bound: calls,
          unit: "calls",
          broken,
          async measure(newCloud) {
            const cloud = await newCloud();
            putInstances(cloud, kept, hostOf, (n) => (n === 0 ? before : "kept"));
            return cloud.clock.run(() =>
              callsOf(new LambdaFunction(cloud), (context) => act(context, hostOf(0))),
            );
          },
        }),
      ),
    ),
    releasedFact(stay, "live"),
    releasedFact(stayed, "kept"),
  ];
}

interface Size {
  readonly size: string;
  readonly broken: Sabotage;
  hostOf(block: number): HostId;
}

/** An act on the first instance. */
interface Operation {
  readonly operation: string;
  readonly calls: number;
  /** The state of its allocation before the act. */
  readonly before: State;
  act(context: Context, host: HostId): Promise<unknown>;
}

const OPERATIONS: readonly Operation[] = [
  {
    operation: "A keep of an instance",
    calls: 4,
    before: "live",
    act: (context) => released(context, true),
  },
  {
    operation: "The return of an instance on the same host",
    calls: 8,
    before: "kept",
    act: returned,
  },
  {
    operation: "The return of an instance on another host",
    calls: 10,
    before: "kept",
    act: (context) => returned(context, "host:other"),
  },
  {
    operation: "A final release of an instance",
    calls: 4,
    before: "live",
    act: (context) => released(context, false),
  },
];

function released(context: Context, keep: boolean) {
  const { workload, handle, keyId } = namesOf(podOf(0));
  const place = { space: SPACE, handleHash: handleHash(handle), id: keyId, keyed: true };
  return releaseInstance(context, { place, workload, keep });
}

async function returned(context: Context, host: HostId) {
  return assign(context, {
    ...requestOf(SPACE, host),
    ...namesOf(podOf(0, "next")),
    namespace: "shop",
  });
}

/** Returns the fact that a release by host ends, whatever its instances keep. */
const releasedFact = (count: number, state: State): Fact => ({
  name: "A release by host is repeated at most ten times until nothing is left",
  size: `a host with ${count} ${state} instances that keep their addresses`,
  bound: REPEATS_MAX,
  unit: "requests",
  broken: NO_ANSWERS,
  async measure(newCloud: NewCloud) {
    const cloud = await newCloud();
    putInstances(
      cloud,
      count,
      () => HOST,
      (n) => (n === 0 ? "live" : state),
    );
    return cloud.clock.run(async () => {
      for (let requests = 1; requests <= REPEATS_MAX; requests++) {
        const ended = await new LambdaFunction(cloud).request((context) =>
          releaseHost(context, SPACE, HOST),
        );
        if (ended.ended === "answered" && ended.value.complete) return requests;
      }
      return REPEATS_MAX + 1;
    });
  },
});

/** Puts instances that have one address each, block by block. */
function putInstances(
  { items }: LargeCloud,
  count: number,
  hostOf: (block: number) => HostId,
  stateOf: (n: number) => State,
): void {
  putSpace(items, SPACE, [POOL], { maxBlocksPerHost: 1_000 });
  const places = new Map<HostId, number>();
  const groups = new Set<bigint>();
  for (let block = 0; block * ADDRESSES_PER_BLOCK < count; block++) {
    const [cidr] = blocksOfGroup(POOL, groupAt(POOL, BigInt(Math.floor(block / 64)))).slice(
      block % 64,
    );
    if (!cidr) throw new Error("the pool is too small");
    const host = hostOf(block);
    const first = block * ADDRESSES_PER_BLOCK;
    const held = Array.from({ length: Math.min(ADDRESSES_PER_BLOCK, count - first) }, (_, i) => {
      const { handle, keyId: id, workload } = namesOf(podOf(first + i));
      const instance = { ...workload, earlierUids: [], incarnation: someId() };
      const changes: Partial<Allocation> = { state: stateOf(first + i), workload: instance };
      return { handle, keyed: true, id, changes };
    });
    putHeld(items, POOL, { cidr, host }, held);
    const place = places.get(host) ?? 0;
    places.set(host, place + 1);
    items.put(affinityItem(POOL, host, place, cidr));
    groups.add(groupIndexOf(POOL, groupOf(cidr)));
  }
  for (const page of indexPages(POOL, groups)) items.put(page);
}
