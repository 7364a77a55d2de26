import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { prefixHandle } from "../../src/kernel/values/handle.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import { readPrefixes } from "../../src/nouns/prefix/operations/read-prefixes.ts";
import { releaseByHandle } from "../../src/nouns/prefix/operations/release-by-handle.ts";
import { networkRequest } from "../network-request.ts";
import { requestOf } from "./layers.ts";
import type { Nodes } from "./node-prefixes.ts";
import { chance, oneOf } from "./operators.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";

const NETWORKS = 3;

/**
 * Acts as a program that makes networks, side by side with the nodes of a run: it asks for a prefix under one handle after the other, a
 * specific one at times, repeats the request under its key, and releases the prefix.
 */
export async function prefixOwner(
  context: Context,
  life: Life,
  nodes: Nodes,
  name: string,
): Promise<void> {
  for (let n = 0; n < NETWORKS; n++) {
    await context.sleep(15_000 * context.random.fraction());
    const handle = `${name}-${n}`;
    const pool = oneOf(context, nodes.pools);
    const specific = chance(context, 0.3) ? { ...pool.cidr, prefix: pool.blockSize } : undefined;
    const { family } = pool.cidr;
    const request = networkRequest(handle, { family, pools: [pool.name], specific, key: "key" });
    const ask = (own: Context) => assignNetwork(own, life, nodes, request);
    nodes.acts.push(ask);
    const got = await life.scheduler.trying(() => ask(context));
    await context.sleep(15_000 * context.random.fraction());
    if (chance(context, 0.3)) await life.scheduler.trying(() => ask(context));
    await life.scheduler.trying(() =>
      readPrefixes(requestOf(context), { space: SPACE, handle, limit: 9 }),
    );
    if (!chance(context, 0.7)) continue;
    const cidr = chance(context, 0.5) ? got : undefined;
    nodes.judge.endsAll(prefixHandle(handle));
    const released = await life.scheduler.trying(() =>
      releaseByHandle(requestOf(context), { space: SPACE, handle, cidr }),
    );
    const how = released instanceof Rejection ? released.code : `${released?.released.length}`;
    life.scheduler.count(`networks released: ${how}`);
    if (released instanceof Rejection) life.scheduler.count(`answer: ${released.code}`);
  }
}

/** Asks for a prefix, and tells the judge of the answer. */
export async function assignNetwork(
  context: Context,
  { scheduler }: Life,
  { judge }: Nodes,
  request: AssignRequest,
) {
  const answer = await assign(requestOf(context), request);
  scheduler.count(`network asked for: ${answer instanceof Rejection ? answer.code : "done"}`);
  if (answer instanceof Rejection) {
    scheduler.count(`answer: ${answer.code}`);
    return undefined;
  }
  const told = answer.addresses.flatMap(({ block }) => {
    const cidr = parseCidr(block);
    return cidr.ok ? [{ cidr: cidr.value }] : [];
  });
  judge.hears(request.handle, told, []);
  return told[0]?.cidr;
}
