import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import type { DefaultPools } from "../../src/nouns/namespace/namespace.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { allocationWith, blockWith, poolWith, selector, taken } from "../builders.ts";
import { requestOf } from "../world.ts";
import { DEPOT, hostNamed, Selection } from "./selection.ts";

const text = "zone == 'west'";
const POOLS = [poolWith({ nodeSelector: { text, selector: selector(text) } })];
const WEST = { zone: "west" };
const TOLD_MS = 10_000;

interface Space {
  readonly pools?: readonly Pool[];
  readonly depotPools?: DefaultPools;
}

/** Returns the judge's verdict on a slot whose allocation was written at a time, after operators' changes. */
async function judged(
  atMs: number,
  operators: (selection: Selection) => Promise<unknown>,
  request: Partial<AssignRequest> = {},
  settings = SETTINGS_DEFAULT,
  { pools = POOLS, depotPools }: Space = {},
): Promise<string[]> {
  const asked = { ...requestOf("web-1", 1), ...request };
  const labels = new Map([[hostNamed("node-1"), WEST]]);
  const selection = new Selection({ pools, settings }, [asked], labels, depotPools);
  await operators(selection);
  selection.step({
    blocks: [blockWith({ 0: taken() })],
    allocations: [allocationWith({ atMs, digest: asked.digest, host: asked.host })],
  } as unknown as Contents);
  return selection.violations.map(({ invariant }) => invariant);
}

const told: Written<undefined> = { value: undefined, created: false, effectiveAtMs: TOLD_MS };
const nothing = async () => {};
const moved = (selection: Selection) =>
  selection.labelling("host:node-1", { zone: "east" }, async () => told);

describe("the judge of selectors", () => {
  it("goes by the labels of the beginning until an operator changes them", async () => {
    expect(await judged(0, nothing)).toEqual([]);
    expect(await judged(0, nothing, { host: "host:node-2" })).toEqual(["I12"]);
  });

  it("goes by new labels when their operator was told that they hold", async () => {
    expect(await judged(TOLD_MS, moved)).toEqual([]);
    expect(await judged(TOLD_MS + CLOCK_SKEW_MS_MAX, moved)).toEqual(["I12"]);
  });

  it("goes by the labels that come with the request, whatever is registered by then", async () => {
    const later = TOLD_MS + CLOCK_SKEW_MS_MAX;
    expect(await judged(later, moved, { hostLabels: WEST })).toEqual([]);
    expect(await judged(0, nothing, { hostLabels: { zone: "east" } })).toEqual(["I12"]);
    const required = { ...SETTINGS_DEFAULT, requireRegisteredHosts: true };
    expect(await judged(0, nothing, { hostLabels: WEST }, required)).toEqual(["I12"]);
  });

  it("lets nobody in who is not registered where that is required", async () => {
    const required = { ...SETTINGS_DEFAULT, requireRegisteredHosts: true };
    const unknown = { host: "host:node-2", pools: ["pool"] } as const;
    expect(await judged(0, nothing, unknown, required)).toEqual(["I12"]);
    const virtual = { ...unknown, host: "virtual:balancer" } as const;
    expect(await judged(0, nothing, virtual, required)).toEqual([]);
  });
});

describe("the judge of conditions", () => {
  const conditioned = (changes: Partial<Pool>, request: Partial<AssignRequest>) =>
    judged(0, nothing, request, SETTINGS_DEFAULT, { pools: [poolWith(changes)] });

  it.each<[Partial<Pool>, Partial<AssignRequest>, Partial<AssignRequest>]>([
    [{ nodeNames: ["node-1"] }, {}, { host: "host:node-2" }],
    [{ namespaceNames: ["shop"] }, { namespace: "shop" }, { namespace: "bank" }],
    [{ networks: ["ovs"] }, { network: "ovs" }, {}],
    [
      { podSelector: { text: "has(app)", selector: selector("has(app)") } },
      { labels: { app: "web" } },
      { labels: {} },
    ],
  ])("of %j lets in %j, and not %j", async (changes, met, unmet) => {
    expect(await conditioned(changes, met)).toEqual([]);
    expect(await conditioned(changes, unmet)).toEqual(["I12"]);
    expect(await conditioned(changes, { ...unmet, pools: ["pool"] })).toEqual([]);
  });

  it("lets only the callers of a pool into it, also by name", async () => {
    const principals = ["arn:aws:iam::123456789012:role/red"];
    const by = (role: string) => ({
      assignedBy: `arn:aws:sts::123456789012:assumed-role/${role}/job-7`,
      pools: ["pool"],
    });
    expect(await conditioned({ principals }, by("red"))).toEqual([]);
    expect(await conditioned({ principals }, by("blue"))).toEqual(["I12"]);
    expect(await conditioned({ principals }, {})).toEqual(["I12"]);
  });

  it("lets a request of a namespace into its default pools only", async () => {
    const request = { namespace: DEPOT };
    const served = (depotPools: DefaultPools) =>
      judged(0, nothing, request, SETTINGS_DEFAULT, { pools: [poolWith({})], depotPools });
    expect(await served(["po*"])).toEqual([]);
    expect(await served(["other"])).toEqual(["I12"]);
    expect(await served({ 4: ["po*"], 6: [] })).toEqual([]);
    expect(await served({ 4: [], 6: ["po*"] })).toEqual(["I12"]);
  });
});
