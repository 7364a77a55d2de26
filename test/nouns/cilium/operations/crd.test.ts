import { describe, expect, it } from "vitest";
import { handleHash } from "../../../../src/base/hash.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import { findViolations } from "../../../../src/invariants/invariants.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { ciliumHandle } from "../../../../src/kernel/values/handle.ts";
import { formatAddress } from "../../../../src/net/address.ts";
import { addressAt } from "../../../../src/net/cidr.ts";
import type { CiliumGrant } from "../../../../src/nouns/cilium/operations/mode.ts";
import { endCilium, showAddresses, tryEndCilium } from "../../../cilium.ts";
import { addressesShown, tryPutCilium } from "../../../cilium-requests.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { deleted, NODE, say, stated } from "../../../node-events.ts";
import { withRetries } from "../../../simulation/aftermath.ts";
import { stoppedBefore } from "../../../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  scheduledRuns,
  type World,
} from "../../../world.ts";

type Shown = Parameters<typeof addressesShown>;

const UID = "uid-1";
const [X, Y] = ["10.0.0.66", "10.0.0.67"] as const;

const put = (context: Context, ...said: Shown) =>
  tryPutCilium(context, NODE, { ...addressesShown(...said), uid: UID });

const poolIn = (answer: CiliumGrant | Rejection | undefined): readonly string[] =>
  answer && !(answer instanceof Rejection) ? Object.keys(answer.ipam.pool ?? {}) : [];

const worldOf = () => makeWorld(poolOf("10.0.0.0/24", 26));

/** Returns the addresses that are taken under the handle of the node. */
function heldIn(world: World): readonly string[] {
  const hash = handleHash(ciliumHandle(NODE, UID));
  return contentsIn(world).blocks.flatMap(({ cidr, slots }) =>
    [...slots].flatMap(([ordinal, slot]) =>
      slot.kind === "taken" && slot.handleHash === hash
        ? [formatAddress(addressAt(cidr, ordinal))]
        : [],
    ),
  );
}

/**
 * Runs a PUT in a world, once for each of its calls. Before that call another act runs to its end.
 *
 * @param prepare returns the world as it is before
 * @param check gets the world, the answer of the PUT and that of the other act, after both have ended
 */
const atEveryCall = <T>(
  prepare: () => Promise<World>,
  said: Shown,
  come: (context: Context) => Promise<T>,
  check: (
    world: World,
    ours: CiliumGrant | Rejection | undefined,
    theirs: T | undefined,
  ) => unknown,
) =>
  beforeEachCall(
    prepare,
    (context) => withRetries(() => put(context, ...said)),
    come,
    async (world, { ours, theirs, where }) => {
      expect(findViolations(contentsIn(world)), where).toEqual([]);
      await check(world, ours, theirs);
    },
    { step: 3 },
  );

/** A node that lists and uses two addresses. */
async function listing(): Promise<World> {
  const world = await worldOf();
  const shown = { pool: [X, Y], used: [X, Y] };
  await put(world.calm, 1, shown);
  await put(world.calm, 2, shown);
  return world;
}

describe("of two PUTs of a CiliumNode in mode crd", () => {
  it("a late one frees nothing that the later object has", async () => {
    const later = { pool: [X, Y], used: [X] };
    await atEveryCall(
      listing,
      [3, { pool: [Y], used: [Y] }],
      (context) => put(context, 4, later),
      async (world, _, theirs) => {
        expect(poolIn(theirs)).toContain(X);
        expect(heldIn(world)).toContain(X);
        expect(poolIn(await put(world.calm, 4, later))).toContain(X);
      },
    );
  });

  it("both together take no more than one of them takes", async () => {
    const spare = { spare: 4 };
    await atEveryCall(
      worldOf,
      [1, spare],
      (context) => put(context, 1, spare),
      async (world, ours, theirs) => {
        const answers = [ours, theirs].filter((each) => poolIn(each).length > 0);
        for (const answer of answers)
          expect(heldIn(world)).toEqual(expect.arrayContaining([...poolIn(answer)]));
        world.clock.nowMs += 20_000;
        expect(poolIn(await put(world.calm, 1, spare))).toHaveLength(4);
        expect(heldIn(world)).toHaveLength(4);
      },
    );
  });
});

it("a PUT that meets a release of all that the node has leaves nothing that no report names", async () => {
  await atEveryCall(
    listing,
    [3, { pool: [X, Y], used: [X, Y], spare: 4 }],
    (context) => withRetries(() => tryEndCilium(context, NODE, UID)),
    async (world, ours) => {
      world.clock.nowMs += 20_000;
      if (poolIn(ours).length > 0) expect(contentsIn(world).ciliumReports).toHaveLength(1);
      await endCilium(world.calm, NODE, UID);
      expect(contentsIn(world).ciliumReports).toEqual([]);
      expect(heldIn(world)).toEqual([]);
    },
  );
});

it("a PUT that meets the end of its node leaves nothing under its uid", async () => {
  const registered = async () => {
    const world = await worldOf();
    await say(world.calm, stated(5));
    await put(world.calm, 1, { spare: 2 });
    return world;
  };
  const end = (context: Context) => say(context, deleted(7));
  await atEveryCall(registered, [2, { spare: 4 }], end, async (world) => {
    await scheduledRuns(world, 3);
    expect(heldIn(world)).toEqual([]);
    expect(contentsIn(world).ciliumReports).toEqual([]);
    expect(await put(world.calm, 3)).toMatchObject({ code: "node_gone" });
  });
});

describe("a crash after the report was written", () => {
  it("is finished by the next PUT, which frees what the report gives up", async () => {
    const world = await listing();
    const { table, clock } = world;
    const late = stoppedBefore(table, (step) => step === "free-slots");
    const crashed = put(contextOver(late.table, clock, 2), 3, { pool: [Y], used: [Y] });
    await late.stops;
    late.end();
    await expect(crashed).rejects.toThrow();
    expect(heldIn(world)).toContain(X);
    const next = await put(world.calm, 3, { pool: [Y], used: [Y] });
    expect(poolIn(next)).not.toContain(X);
    expect(heldIn(world)).not.toContain(X);
  });
});

describe("the time for which a withdrawn address must be unused", () => {
  it("counts from the first PUT whose used lacks it", async () => {
    const world = await worldOf();
    const { calm, clock } = world;
    const shown = async (version: number, pool: readonly string[], used: readonly string[]) =>
      tryPutCilium(calm, NODE, {
        ...addressesShown(version, { pool, used, spare: 0 }),
        uid: UID,
        withdrawAfterSeconds: 60,
      });
    await shown(1, [X, Y], [X]);
    await shown(2, [Y], [X]);
    clock.nowMs += 100_000;
    await shown(3, [Y], []);
    clock.nowMs += 59_999;
    await shown(4, [Y], []);
    expect(heldIn(world)).toContain(X);
    clock.nowMs += 1;
    await shown(5, [Y], []);
    expect(heldIn(world)).not.toContain(X);
  });
});

it("an address of another node is no node's by what it lists", async () => {
  const world = await worldOf();
  const other = await assigned(world.calm, requestOf("other", 1));
  const [address = ""] = other.addresses.map((each) => each.address);
  const shown = { pool: [address], used: [address], spare: 0 };
  expect(await showAddresses(world.calm, NODE, 1, shown)).not.toContain(address);
  const again = await put(world.calm, 1, shown);
  expect(again).toMatchObject({ errors: [expect.stringContaining("is assigned to handle other")] });
});
