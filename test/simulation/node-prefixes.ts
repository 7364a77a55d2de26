import { Rejection } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { blocksIn } from "../../src/kernel/values/block-group.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { nodeHandle } from "../../src/kernel/values/handle.ts";
import { hostName } from "../../src/kernel/values/host.ts";
import { type Cidr, cidrOf as cidrOfAddress } from "../../src/net/cidr.ts";
import type { ClusterEvent } from "../../src/nouns/node/node-health.ts";
import { applyEvents } from "../../src/nouns/node/operations/apply-events.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import {
  ensurePrefixes,
  type NodePrefixes,
  type PrefixesWanted,
} from "../../src/nouns/prefix/operations/ensure-prefixes.ts";
import { listPrefixes } from "../../src/nouns/prefix/operations/list-prefixes.ts";
import { releasePrefixes } from "../../src/nouns/prefix/operations/release-prefixes.ts";
import { requestOf } from "./layers.ts";
import { chance, oneOf } from "./operators.ts";
import type { PromisedPrefixes } from "./promised-prefixes.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import { cidrOf, type Scenario, selectorOf } from "./scenario.ts";
import type { StatedNetworks } from "./stated-networks.ts";

/** The pools of prefixes of a run, and the nodes that ask for them. */
interface Cluster {
  readonly pools: Scenario["pools"];
  /** The names of nodes. Some are hosts of the clients, too. */
  readonly nodes: readonly string[];
}

/** The nodes of a run, their judge, and their acts so far, each of which may come again. */
export interface Nodes extends Cluster {
  readonly judge: PromisedPrefixes;
  readonly stated: StatedNetworks;
  readonly acts: Act[];
}

type Act = (context: Context) => Promise<unknown>;

/** The share of runs with pools of prefixes. */
const SHARE = 0.25;
const INCARNATIONS = 3;
/** No host of the clients, because all that a host has goes with its node. */
const REBUILT = "node-11";
const CONFIRM_SECONDS = 30;

/** Draws the pools of prefixes of a run, or none. They are drawn apart, so that the other runs stay as they are. */
export function drawCluster(random: Random, scenario: Scenario): Cluster | undefined {
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (random.fraction() >= SHARE) return undefined;
  const specOf = (name: string, cidr: string, blockSize: number): PoolSpec & { name: string } => ({
    name,
    cidr: cidrOf(cidr),
    assign: "prefixes",
    blockSize,
    disabled: false,
    assignmentMode: below(6) === 0 ? "Manual" : "Automatic",
    allowedUses: [],
    borrowing: "forbidden",
    cooldownSeconds: scenario.cooldownMs / 1_000,
    ...(scenario.selects && below(3) === 0 && { nodeSelector: selectorOf("zone == 'west'") }),
  });
  const v4 = specOf("pods-4", below(2) === 0 ? "10.8.0.0/22" : "10.8.0.0/23", 24);
  const v6 = specOf("pods-6", "2001:db8:8::/62", 64);
  const nodes = [...scenario.hosts.map(hostName).slice(0, 2), "node-9", "node-10"];
  return { pools: [v4, ...(below(3) === 0 ? [] : [v6])], nodes: nodes.slice(0, 3 + below(2)) };
}

/**
 * Acts as the controller of one node: under one uid after the other it asks for prefixes, states what it got or what its cloud
 * provider has, and goes.
 */
export async function node(
  context: Context,
  life: Life,
  nodes: Nodes,
  name: string,
): Promise<void> {
  for (let n = 0; n < INCARNATIONS; n++) {
    const uid = `uid-${n}`;
    await context.sleep(12_000 * context.random.fraction());
    const got = await act(life, nodes, (own) => ask(own, life, nodes, name, { uid }), context);
    await context.sleep(15_000 * context.random.fraction());
    const podCidrs =
      got && chance(context, 0.8)
        ? got.prefixes.map(({ cidr }) => cidr)
        : drawn(context, nodes).map((cidr) => (n > 0 ? cidr : ofOtherSize(cidr, name)));
    const allocator = chance(context, 0.2) ? "CloudAllocator" : "RangeAllocator";
    const stated = { uid, allocator, podCidrs, aliases: podCidrs } as const;
    if (chance(context, 0.8))
      await act(life, nodes, (own) => ask(own, life, nodes, name, stated), context);
    await context.sleep(20_000 * context.random.fraction());
    if (chance(context, 0.5))
      await act(life, nodes, (own) => ask(own, life, nodes, name, { uid }), context);
    const cidr = chance(context, 0.3) ? podCidrs[0] : undefined;
    if (chance(context, 0.6))
      await act(life, nodes, (own) => release(own, life, nodes, { name, uid, cidr }), context);
  }
}

/**
 * Acts as the controller of a node that is rebuilt under the same name: it confirms what the node got, and then states other prefixes.
 * Then the node ends by its event, and the controller still asks for it.
 */
export async function rebuiltNode(context: Context, life: Life, nodes: Nodes): Promise<void> {
  for (let n = 0; n < INCARNATIONS; n++) {
    const said = { uid: `uid-${n}` };
    const asking = (more: Partial<PrefixesWanted> = {}) =>
      act(life, nodes, (own) => ask(own, life, nodes, REBUILT, { ...said, ...more }), context);
    await context.sleep(20_000 * context.random.fraction());
    const got = await asking();
    const confirmed = got?.prefixes.map(({ cidr }) => cidr) ?? drawn(context, nodes);
    await asking({ podCidrs: confirmed });
    await asking({ podCidrs: drawn(context, nodes) });
    await context.sleep(20_000 * context.random.fraction());
    await act(life, nodes, (own) => end(own, nodes, said.uid), context);
    await asking();
  }
}

/** Ends the rebuilt node by the event of its Node object. */
function end(context: Context, { judge, stated }: Nodes, uid: string): Promise<unknown> {
  const handle = nodeHandle(REBUILT, uid);
  judge.endsAll(handle);
  const ended = { uid, resourceVersion: "9", createdAtMs: 0 };
  const event: ClusterEvent = { act: "end", name: REBUILT, ended };
  return stated.acting(handle, [], () =>
    applyEvents(requestOf(context), { space: SPACE }, [event]),
  );
}

/** Does earlier acts of nodes once more, as messages do that come twice or late, and lists what nodes have. */
export async function repeater(context: Context, life: Life, nodes: Nodes): Promise<void> {
  for (let n = 0; n < 8; n++) {
    await context.sleep(15_000 * context.random.fraction());
    const again = oneOf(context, nodes.acts);
    if (again) await life.scheduler.trying(() => again(context));
    await life.scheduler.trying(() =>
      listPrefixes(requestOf(context), { space: SPACE, node: oneOf(context, nodes.nodes) }),
    );
  }
}

/** Carries out an act of a node. It may be the first of two that are the same. */
async function act<T>(
  { scheduler }: Life,
  { acts }: Nodes,
  body: (context: Context) => Promise<T>,
  context: Context,
): Promise<T | undefined> {
  acts.push(body);
  return scheduler.trying(() => body(context));
}

type Said = Pick<PrefixesWanted, "uid"> & Partial<PrefixesWanted>;

async function ask(
  context: Context,
  { scheduler }: Life,
  { pools, judge, stated }: Nodes,
  name: string,
  said: Said,
): Promise<NodePrefixes | undefined> {
  const { uid, allocator = "RangeAllocator", podCidrs = [], aliases = [] } = said;
  const handle = nodeHandle(name, uid);
  if (allocator === "CloudAllocator" && aliases.length > 0) judge.endsAll(handle);
  else if (podCidrs.length > 0) judge.states(handle, podCidrs);
  const confirmed = judge.confirmedOf(handle);
  const named = chance(context, 0.3) ? pools.map((pool) => pool.name) : [];
  const answer = await stated.acting(handle, [...podCidrs, ...aliases], () =>
    ensurePrefixes(requestOf(context), {
      ...{ space: SPACE, node: name, uid, allocator, podCidrs, aliases },
      ...{ pools: named, confirmSeconds: CONFIRM_SECONDS },
    }),
  );
  const what = podCidrs.length > 0 ? "prefixes stated" : "prefixes asked for";
  scheduler.count(`${what}: ${answer instanceof Rejection ? answer.code : "done"}`);
  if (answer instanceof Rejection) {
    scheduler.count(`answer: ${answer.code}`);
    return undefined;
  }
  judge.hears(handle, answer.prefixes, confirmed);
  return answer;
}

async function release(
  context: Context,
  { scheduler }: Life,
  { judge, stated }: Nodes,
  of: { readonly name: string; readonly uid: string; readonly cidr: Cidr | undefined },
): Promise<void> {
  const { name, uid, cidr } = of;
  judge.endsAll(nodeHandle(name, uid));
  const released = await stated.acting(nodeHandle(name, uid), [], () =>
    releasePrefixes(requestOf(context), { space: SPACE, node: name, uid, cidr }),
  );
  const how = released instanceof Rejection ? released.code : `${released.length} of them`;
  scheduler.count(`prefixes released: ${how}`);
  if (released instanceof Rejection) scheduler.count(`answer: ${released.code}`);
}

/** Returns the half of a prefix, or the double, as a node says whose cluster divides a pool in another way. */
const ofOtherSize = ({ family, base, prefix }: Cidr, name: string): Cidr =>
  cidrOfAddress({ family, value: base }, name.length % 2 === 0 ? prefix + 2 : prefix - 1);

/** Draws a prefix of each family, or of some, as a node says that was there before. */
const drawn = (context: Context, { pools }: Nodes): readonly Cidr[] =>
  pools
    .filter(() => chance(context, 0.8))
    .map((pool) => oneOf(context, [...blocksIn(pool, pool.cidr)]));
