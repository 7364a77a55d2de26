import { describe, expect, it } from "vitest";
import { Rejection, type RejectionCode } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import type { Application } from "../../src/nouns/application/application.ts";
import { type Instance, workloadHandle } from "../../src/nouns/application/workload.ts";
import { allocationWith, applicationWith, blockWith, poolWith, taken } from "../builders.ts";
import { type Coming, Instances } from "./instances.ts";

const WORKLOAD = { namespace: "shop", kind: "StatefulSet", name: "db", instance: "db-0" };
const HANDLE = workloadHandle(WORKLOAD);
const HOST = "host:node-1";
const ELSEWHERE = "host:node-2";

/** The allocation of the instance, which asked for one address. */
function holding(instance: Partial<Instance> = {}, changes: Partial<Allocation> = {}): Allocation {
  const workload = { ...WORKLOAD, uid: "a", earlierUids: [], incarnation: "1", ...instance };
  writes++;
  return allocationWith({
    handle: HANDLE,
    workload,
    host: HOST,
    revision: `${writes}`,
    ...changes,
  });
}
let writes = 0;
const LIVE = holding();
const KEPT = holding({}, { state: "kept" });
const RELEASED = new Set(["10.0.0.0"]);

/** A request of the instance under a uid. */
const request = (uid: string, changes: Partial<Coming> = {}): Coming => ({
  space: "default",
  handle: HANDLE,
  host: HOST,
  attributes: {},
  pools: [],
  wanted: [{ family: 4, count: 1 }],
  workload: { ...WORKLOAD, uid },
  digest: "digest",
  ...changes,
});

/** Returns the judge of a life in which the instance has its address since the first step. */
function judgeOf() {
  const ended: string[] = [];
  const judge = new Instances({
    scenario: { pools: [poolWith()], fleeting: [] },
    hasApplications: false,
    isStrict: () => false,
    onEnd: (address) => ended.push(address),
  });
  see(judge, LIVE);
  return Object.assign(judge, { ended });
}

/** Shows the judge the table with an allocation, or with none; its slot is taken unless the test says otherwise. */
function see(
  judge: Instances,
  allocation: Allocation | undefined,
  isTaken = true,
  applications: readonly Application[] = [],
): void {
  const blocks = [blockWith(isTaken ? { 0: taken(1, HANDLE) } : {})];
  const allocations = allocation ? [allocation] : [];
  judge.step({ blocks, allocations, applications } as unknown as Contents);
}

/** Sends a request of the instance; the table changes before it is answered. */
const comes = (judge: Instances, asked: Coming, ...steps: readonly Allocation[]) =>
  judge.coming(asked, async () => {
    for (const step of steps) see(judge, step);
    return { addresses: [] };
  });

const said = ({ violations }: Instances): string[] =>
  violations.map(({ invariant, message }) => `${invariant}: ${message}`);
const violationOf = (message: string) => [expect.stringContaining(`I14: ${message}`)];

describe("the judge of instances", () => {
  it("notices an allocation that ends although nobody ended it, even if its instance comes again", async () => {
    const alone = judgeOf();
    see(alone, undefined);
    expect(said(alone)).toEqual(violationOf(`${HANDLE} of a ended, and nobody ended it`));
    const asked = judgeOf();
    await asked.coming(request("b"), async () => see(asked, undefined) ?? { addresses: [] });
    expect(said(asked)).toEqual(violationOf(`${HANDLE} of a ended, and nobody ended it`));
  });

  it("lets a smaller application end what an instance without a replica keeps, and nothing else", () => {
    const smaller = applicationWith({ ...WORKLOAD, replicas: 0 });
    const lost = judgeOf();
    lost.keeping(HANDLE, "a");
    see(lost, KEPT, true, [smaller]);
    see(lost, undefined, true, [smaller]);
    expect(said(lost)).toEqual([]);
    expect(lost.ended).toEqual(["10.0.0.0"]);
    const live = judgeOf();
    see(live, undefined, true, [smaller]);
    expect(said(live)).toEqual(violationOf(`${HANDLE} of a ended, and nobody ended it`));
    const other = judgeOf();
    other.keeping(HANDLE, "a");
    see(other, KEPT, true, [
      { ...smaller, name: "web" },
      { ...smaller, replicas: 1 },
    ]);
    see(other, undefined);
    expect(said(other)).toEqual(violationOf(`${HANDLE} of a ended, and nobody ended it`));
  });

  it("notices that a release of an earlier incarnation, or of its host, ends what the next one has", async () => {
    const earlier = judgeOf();
    await comes(earlier, request("b"), holding({ uid: "b", incarnation: "2" }));
    earlier.ending(HANDLE, "a");
    earlier.leaving(HOST);
    see(earlier, undefined);
    expect(said(earlier)).toEqual(violationOf(`${HANDLE} of b ended, and nobody ended it`));
  });

  it("notices a keep that nobody asked for", () => {
    const judge = judgeOf();
    judge.keeping(HANDLE, "of another uid");
    judge.leaving(ELSEWHERE);
    see(judge, KEPT);
    expect(said(judge)).toEqual(violationOf(`${HANDLE} of a is kept, and nobody keeps it`));
  });

  it("notices a slot that is freed while the allocation has it", () => {
    const judge = judgeOf();
    see(judge, LIVE, false);
    expect(said(judge)).toEqual(violationOf(`${HANDLE} has 0 of its 1 addresses`));
  });

  it("notices slots that became others", () => {
    const judge = judgeOf();
    const [part] = LIVE.parts;
    const token = "another";
    see(judge, holding({}, { parts: [{ ...part, token }] as Allocation["parts"], want: 0 }));
    expect(said(judge)).toEqual(violationOf(`${HANDLE} has other slots`));
  });

  it("notices an address that nobody released", () => {
    const released = holding({}, { released: RELEASED });
    const judge = judgeOf();
    see(judge, released, false);
    expect(said(judge)).toEqual(violationOf(`${HANDLE} lost an address, and nobody released it`));
    const named = judgeOf();
    named.ending(HANDLE, "1");
    see(named, released);
    expect(said(named)).toEqual([]);
    expect(named.ended).toEqual(["10.0.0.0"]);
  });

  it("notices an incarnation that nobody came as, and a host that nobody came to", async () => {
    const judge = judgeOf();
    await comes(judge, request("b")); // it got its addresses, so it is over
    see(judge, holding({ uid: "b", incarnation: "2" }));
    expect(said(judge)).toEqual(violationOf(`${HANDLE} of a became that of b on ${HOST}`));
    const moved = judgeOf();
    see(moved, holding({}, { host: ELSEWHERE }));
    expect(said(moved)).toEqual(violationOf(`${HANDLE} of a became that of a on ${ELSEWHERE}`));
  });

  it("notices a return or another uid in the same incarnation, and an incarnation that was there before", async () => {
    const back = judgeOf();
    back.keeping(HANDLE, "a");
    await comes(back, request("a"), KEPT, LIVE);
    expect(said(back)).toEqual(violationOf(`${HANDLE} of a returned as the same incarnation`));
    const other = judgeOf();
    await comes(other, request("b"), holding({ uid: "b" }));
    expect(said(other)).toEqual(violationOf(`${HANDLE} of a has another uid in one incarnation`));
    const again = judgeOf();
    await comes(again, request("b"), holding({ uid: "b", incarnation: "2" }));
    await comes(again, request("c"), holding({ uid: "c", incarnation: "1" }));
    expect(said(again)).toEqual(violationOf(`${HANDLE} of b has an incarnation again`));
  });

  it("notices a rejection for want of room of an instance that has its addresses", async () => {
    const answers = async (judge: Instances, asked: Coming, code: RejectionCode) => {
      await judge.coming(asked, async () => new Rejection(code, "detail"));
      return said(judge);
    };
    expect(await answers(judgeOf(), request("b"), "pool_exhausted")).toEqual(
      violationOf(`${HANDLE} has its addresses, and was rejected (pool_exhausted)`),
    );
    expect(await answers(judgeOf(), request("b"), "request_in_progress")).toEqual([]);
    const unfit = request("b", { digest: "another" });
    expect(await answers(judgeOf(), unfit, "pool_exhausted")).toEqual([]);
  });

  it("notices an answer about an incarnation, a uid or a host that was not so since the request", async () => {
    const told: [Coming, string][] = [
      [request("a"), "2"],
      [request("b"), "1"],
      [request("a", { host: ELSEWHERE }), "1"],
    ];
    for (const [asked, incarnation] of told) {
      const judge = judgeOf();
      judge.hearCome(asked, incarnation, 0);
      expect(said(judge)).toEqual(violationOf(`${asked.workload.uid} was told of ${incarnation}`));
    }
    const over = judgeOf();
    await comes(over, request("b"), holding({ uid: "b", incarnation: "2" }));
    over.hearCome(request("a"), "1", 1);
    expect(said(over)).toEqual([]); // it was so until the second step
    over.hearCome(request("a"), "1", 2);
    expect(said(over)).toEqual(violationOf("a was told of 1"));
  });

  it("notices an answer that addresses are kept that were live throughout", () => {
    const judge = judgeOf();
    judge.hearKept(HANDLE, "a", 0);
    expect(said(judge)).toEqual(violationOf("a was told that its addresses are kept"));
  });
});
