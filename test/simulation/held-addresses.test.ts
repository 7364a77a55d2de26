import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { type Application, applicationHash } from "../../src/nouns/application/application.ts";
import {
  allocationWith,
  applicationWith,
  blockWith,
  cooling,
  intervals,
  listed,
  poolWith,
  quarantined,
  taken,
} from "../builders.ts";
import { HeldAddresses } from "./held-addresses.ts";

const TOLD_MS = 10_000;
const IN_FORCE_MS = TOLD_MS + CLOCK_SKEW_MS_MAX;
const POOL = poolWith({ assignmentMode: "Applications", ranges: intervals("10.0.0.0-10.0.0.7") });

/** An application that wants two addresses. */
const web = (changes: Partial<Application> = {}): Application =>
  applicationWith({ replicas: 1, ...changes });
const LISTED = [listed("10.0.0.1"), listed("10.0.0.2")];
const WEB = web({ listed: LISTED });
const LEAVING = web({ replicas: 0, listed: [listed("10.0.0.1"), listed("10.0.0.2", "leaving")] });
const heldFor = (application: Application): Slot => ({
  kind: "held",
  token: "token",
  applicationHash: applicationHash(application),
});
const HELD = heldFor(WEB);
const OTHERS = heldFor(web({ name: "api" }));

/** The allocation of an instance of the application. */
const instance = (changes: Partial<Allocation> = {}, ofApplication = true): Allocation => {
  const workload = {
    namespace: "shop",
    kind: "Deployment",
    name: "web",
    instance: "web-1",
    uid: "a",
    earlierUids: [],
    incarnation: "1",
  };
  const { parts, ...rest } = allocationWith({ workload, ...changes });
  return {
    ...rest,
    parts: parts.map((part) => ({ ...part, ...(ofApplication && { ofApplication: true }) })),
  };
};

interface Table extends Partial<Omit<Contents, "blocks">> {
  readonly slots?: Readonly<Record<number, Slot>>;
}

const contents = ({ slots, ...rest }: Table): Contents =>
  ({
    applications: [WEB],
    allocations: [],
    pools: [POOL],
    ...rest,
    blocks: slots ? [blockWith(slots)] : [],
  }) as unknown as Contents;

/** Returns what the judge says of tables that follow one another. */
function said(...tables: readonly Table[]): readonly string[] {
  const judge = new HeldAddresses();
  for (const table of tables) judge.step(contents(table));
  return judge.violations.map(({ invariant, message }) => `${invariant}: ${message}`);
}

/** The application, which holds its addresses. */
const HOLDING: Table = { slots: { 1: HELD, 2: HELD } };
/** An instance has the first address. */
const IN_USE: Table = { slots: { 1: taken(), 2: HELD }, allocations: [instance()] };

describe("the judge of held addresses", () => {
  it("notices an address in the list that is neither held nor an instance's", () => {
    const free = { slots: { 1: cooling(1), 2: HELD } };
    expect(said(free)).toEqual(["I15: shop/Deployment/web lists 10.0.0.1, which is cooling"]);
    expect(said({ slots: { 1: OTHERS, 2: HELD } })).toHaveLength(1);
    expect(said({ slots: { 2: HELD } })).toHaveLength(1);
  });

  it("notices a held address that anybody else takes, or that gets free although it is listed", () => {
    const stranger = allocationWith();
    const alone = { applications: [LEAVING] }; // what leaves is not looked at
    const before = { ...alone, slots: { 1: HELD, 2: HELD } };
    const told = (slot: Slot | undefined, allocations: readonly Allocation[] = []) =>
      said(before, { ...alone, slots: { 1: HELD, ...(slot && { 2: slot }) }, allocations });
    expect(told(taken(), [stranger])).toEqual([
      "I15: 10.0.0.2 of shop/Deployment/web was held, and is taken",
    ]);
    expect(told(taken(), [instance({}, false)])).toHaveLength(1);
    expect(told(OTHERS)).toHaveLength(1);
    expect(told(undefined)).toHaveLength(1);
    expect(told(cooling(1))).toEqual([]);
    expect(said(HOLDING, { slots: { 1: HELD, 2: cooling(1) } })).toContain(
      "I15: 10.0.0.2 of shop/Deployment/web was held, and is cooling",
    );
  });

  it("notices an instance that takes from its application what that does not hold", () => {
    const unlisted = { ...HOLDING, slots: { ...HOLDING.slots, 3: taken() } };
    expect(said(HOLDING, { ...unlisted, allocations: [instance()] })).toEqual([
      "I15: 10.0.0.3 is taken from an application that did not hold it",
    ]);
  });

  it("notices an address that is not held again when its instance frees it, but for a conflict", () => {
    const over = { allocations: [instance({ state: "released" })], applications: [LEAVING] };
    const inUse = { slots: { 1: HELD, 2: taken() }, allocations: [instance()] };
    const told = (slot: Slot | undefined) =>
      said(
        HOLDING,
        { ...inUse, applications: [LEAVING] },
        { ...over, slots: { 1: HELD, ...(slot && { 2: slot }) } },
      );
    expect(told(HELD)).toEqual([]);
    expect(told(quarantined(1, 60))).toEqual([]);
    expect(told(cooling(1))).toEqual([
      "I15: 10.0.0.2 of shop/Deployment/web was freed, and is cooling",
    ]);
    expect(told(OTHERS)).toHaveLength(1);
    expect(told(undefined)).toHaveLength(1);
  });

  it("lets an application list an address that was reported as a conflict, until it is held again", () => {
    const reported = { slots: { 1: quarantined(1, 60), 2: HELD } };
    const lifted = { slots: { 1: cooling(1), 2: HELD } };
    expect(said(HOLDING, IN_USE, reported, lifted)).toEqual([]);
    expect(said(HOLDING, reported)).not.toEqual([]);
  });

  it("notices an application that gets more than its number", () => {
    const three = web({ listed: [...LISTED, listed("10.0.0.3", "named")] });
    expect(said(HOLDING, { ...HOLDING, applications: [three] })).toEqual([
      "I15: shop/Deployment/web gets more than its 2 addresses",
    ]);
    expect(said({ applications: [] }, { ...HOLDING, applications: [three] })).toHaveLength(1);
    const fewer = web({ replicas: 0, listed: LISTED }); // in use when it got smaller
    expect(said(HOLDING, { ...HOLDING, applications: [fewer] })).toEqual([]);
  });

  it("notices an application that loses what it wants, but for a pool or a conflict", () => {
    const one = web({ listed: [listed("10.0.0.1"), listed("10.0.0.2", "leaving")] });
    const told = (after: Table) => said(HOLDING, { ...HOLDING, ...after });
    const loses = ["I15: shop/Deployment/web loses 10.0.0.2, and wants 2"];
    expect(told({ applications: [one] })).toEqual(loses);
    expect(told({ applications: [web({ listed: [listed("10.0.0.1")] })] })).toEqual(loses);
    expect(told({ applications: [{ ...one, state: "retained" }] })).toHaveLength(1);
    expect(told({ applications: [{ ...one, state: "deleting" }] })).toEqual([]);
    expect(told({ applications: [{ ...one, targets: [] }] })).toEqual([]);
    expect(told({ applications: [one], pools: [{ ...POOL, revision: "2" }] })).toEqual([]);
    expect(told({ applications: [one], pools: [] })).toEqual([]);
  });

  it("notices an instance that gets other addresses although its application has some for it", async () => {
    const other = async (atMs: number) => {
      const judge = new HeldAddresses();
      judge.step(contents({ applications: [] }));
      await put(judge);
      judge.step(contents({ ...HOLDING, allocations: [instance({ atMs }, false)] }));
      return judge.violations.map(({ message }) => message);
    };
    expect(await other(IN_FORCE_MS - 1)).toEqual([]);
    expect(await other(IN_FORCE_MS)).toEqual([
      "web-1 gets addresses that are not its application's",
    ]);
  });

  it("looks at an instance again when it returns", async () => {
    const judge = new HeldAddresses();
    judge.step(contents({ applications: [], allocations: [instance({ atMs: 1 }, false)] }));
    await put(judge);
    const { workload, ...before } = instance({ atMs: IN_FORCE_MS }, false);
    const after = { ...before, workload: { ...workload, incarnation: "2" } } as Allocation;
    judge.step(contents({ ...HOLDING, allocations: [after] }));
    expect(judge.violations).toHaveLength(1);
  });

  it("notices an operator that was told of addresses, although the application had none throughout", async () => {
    const judge = new HeldAddresses();
    await judge.announcing(WEB, async () => told(WEB));
    expect(judge.violations).toMatchObject([{ invariant: "I15" }]);
  });

  it("notices an address that is held at rest although its application was deleted", () => {
    const atRest = (...applications: readonly Application[]) => {
      const judge = new HeldAddresses();
      judge.rest(contents({ ...HOLDING, applications }));
      return judge.violations.length;
    };
    expect(atRest(WEB)).toBe(0);
    expect(atRest(web({ state: "retained" }))).toBe(0);
    expect(atRest(web({ state: "deleting" }))).toBe(2);
    expect(atRest()).toBe(2);
  });
});

const told = (value: Application): Written<Application> => ({
  value,
  created: true,
  effectiveAtMs: TOLD_MS,
});

/** Creates the application, and tells its author so. */
const put = (judge: HeldAddresses) =>
  judge.announcing(WEB, async () => {
    judge.step(contents(HOLDING));
    return told(WEB);
  });
