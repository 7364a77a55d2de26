import { handleHash } from "../src/base/hash.ts";
import { CONFIRM_SECONDS_DEFAULT } from "../src/base/limits.ts";
import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import { groupCount, groupOrder } from "../src/kernel/values/block-group.ts";
import { prefixHandle } from "../src/kernel/values/handle.ts";
import { hostId } from "../src/kernel/values/host.ts";
import type { Cidr } from "../src/net/cidr.ts";
import {
  ensurePrefixes,
  type NodePrefixes,
  type PrefixesWanted,
} from "../src/nouns/prefix/operations/ensure-prefixes.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import { releasePrefixes } from "../src/nouns/prefix/operations/release-prefixes.ts";
import type { Budget } from "../test/operations/measured.ts";
import { enterGroups } from "./fill.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool, readCidr } from "./pool.ts";

const SPACE = "prefixes";
const OF_PREFIXES = { assign: "prefixes", allowedUses: [], cooldownSeconds: 300 } as const;
const NODE = "node-1";

/** Measures the prefixes of a node and of a handle from the first request to the end, each request on a function that has just started. */
export async function measurePrefixes(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const measured = async <T>(
    [operation, size, fill]: readonly [operation: string, size: string, fill: string],
    budget: Budget,
    act: () => Promise<T | Rejection>,
  ): Promise<T> => {
    const results: T[] = [];
    const cost = await bench.meter.measure(async () => {
      const result = await act();
      if (result instanceof Rejection) throw new Error(result.detail);
      results.push(result);
    });
    lines.push({ operation, size, fill, cost, budget });
    return results[0] as T;
  };
  const ask = (uid: string, said: Partial<PrefixesWanted> = {}) =>
    ensurePrefixes(bench.cold(), {
      space: SPACE,
      node: NODE,
      uid,
      allocator: "RangeAllocator",
      podCidrs: [],
      aliases: [],
      pools: [],
      confirmSeconds: CONFIRM_SECONDS_DEFAULT,
      ...said,
    });
  const statedBy = ({ prefixes }: NodePrefixes) => ({ podCidrs: prefixes.map(({ cidr }) => cidr) });

  const v4 = { space: SPACE, name: "v4", cidr: "10.0.0.0/16" };
  await makePool(bench.cold(), v4, { ...OF_PREFIXES, blockSize: 24 });
  await measured(["prefix of a node, IPv4", "/16", "0 %"], [13, 11, 8], () => ask("v4"));
  const v6 = { space: SPACE, name: "v6", cidr: "fd00::/56" };
  await makePool(bench.cold(), v6, { ...OF_PREFIXES, blockSize: 64 });
  const both = await measured(["… both families", "/16", "0 %"], [14, 16, 8], () => ask("both"));
  await measured(["… again", "/16", "0 %"], [6, 0, 10], () => ask("both"));
  await measured(["… stated by the node", "/16", "0 %"], [7, 3, 10], () =>
    ask("both", statedBy(both)),
  );
  await measured(["… stated again", "/16", "0 %"], [6, 0, 10], () => ask("both", statedBy(both)));
  const release = (uid: string) => () =>
    releasePrefixes(bench.cold(), { space: SPACE, node: NODE, uid });
  await measured(["… released, IPv4", "/16", "0 %"], [5, 4, 2], release("v4"));
  await measured(["… released, both families", "/16", "0 %"], [5, 5, 2], release("both"));

  const network = (named: string, cidr?: Cidr) => () =>
    assign(bench.cold(), {
      space: SPACE,
      host: hostId("virtual", named),
      handle: prefixHandle(named),
      wanted: [{ family: 4, count: 1 }],
      prefixes: { stated: [], ...(cidr && { specific: cidr }) },
      pools: [],
      attributes: {},
      keyId: handleHash(named),
      digest: named,
    });
  await measured(["prefix of a handle", "/16", "0 %"], [8, 6, 5], network("one"));
  await measured(
    ["… specific", "/16", "0 %"],
    [7, 6, 5],
    network("two", readCidr("10.0.200.0/24")),
  );
  await measured(["… again", "/16", "0 %"], [4, 0, 6], network("one"));
  const child = { space: SPACE, name: "child", cidr: "10.0.200.0/24" };
  await measured(["pool made of a prefix", "/16", "0 %"], [17, 9, 9], () =>
    makePool(bench.cold(), child, { parent: "v4" }),
  );
  await measured(["prefix of a handle, released", "/16", "0 %"], [4, 4, 2], () =>
    releaseByHandle(bench.cold(), { space: SPACE, handle: "one" }),
  );

  const large = { space: SPACE, name: "large", cidr: "10.128.0.0/9" };
  const pool = await makePool(bench.cold(), large, {
    ...OF_PREFIXES,
    blockSize: 29,
    assignmentMode: "Manual",
  });
  const [open] = groupOrder(pool, hostId("host", NODE));
  const groups = Array.from({ length: Number(groupCount(pool)) }, (_, n) => BigInt(n));
  await enterGroups(bench.cold(), pool, groups, (index) => index !== open);
  const pools = ["large", "v6"];
  await measured(["prefix of a node, both families", "/9 of /29", "99 %"], [14, 22, 45], () =>
    ask("large", { pools }),
  );
  return lines;
}
