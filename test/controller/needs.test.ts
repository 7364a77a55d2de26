import { expect, it } from "vitest";
import { clientOver } from "../../src/client/index.ts";
import { Needs } from "../../src/controller/needs.ts";
import { AGENT_RIGHTS } from "../../src/controller/rights.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

/** Lets an agent check what it needs while a test acts. */
async function checking(
  act: (of: {
    readonly cluster: FakeCluster;
    readonly needs: Needs;
    readonly failures: Error[];
    readonly sleep: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const [clock, cluster, failures] = [new VirtualClock(), new FakeCluster(), [] as Error[]];
  const plat = clientOver(async <Body>() => {
    const failure = failures.shift();
    if (failure) throw failure;
    return { status: 200, etag: undefined, body: { status: "ready" } as Body };
  });
  const needs = new Needs({ api: cluster, plat, waits: waitsOf(clock), rights: AGENT_RIGHTS });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = needs.check(ending.signal);
    await act({ cluster, needs, failures, sleep: clock.sleep }).finally(() => ending.abort());
    await running;
  });
}

const reviews = ({ requests }: FakeCluster) =>
  requests.filter((one) => one.endsWith("selfsubjectaccessreviews")).length;

it("what is missing is named, and asked for again every ten seconds", () =>
  checking(async ({ cluster, needs, failures, sleep }) => {
    failures.push(new Error("no answer"));
    cluster.denied.add("get jobs");
    expect(needs.missing).toEqual(["the rights were not checked yet", "Plat has not answered yet"]);
    await sleep(1_000);
    expect(needs.missing).toEqual([
      "the right is missing: get jobs.batch",
      "Plat has not answered yet",
    ]);
    await sleep(10_000);
    expect(needs.missing).toEqual(["the right is missing: get jobs.batch"]);
    cluster.denied.clear();
    await sleep(10_000);
    expect(needs.missing).toEqual([]);
  }));

it("the API server is heard at least every eight minutes, and a check without an answer is repeated soon", () =>
  checking(async ({ cluster, needs, sleep }) => {
    await sleep(1_000);
    const startMs = needs.heardAtMs;
    await sleep(300_000);
    expect(needs.heardAtMs - startMs).toBe(300_000);
    const review = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    cluster.failures.push([review, new Error("no answer")]);
    await sleep(300_000);
    expect(needs.heardAtMs - startMs).toBe(300_000);
    await sleep(30_000);
    expect(needs.heardAtMs - startMs).toBe(630_000);
    expect(needs.missing).toEqual([]);
  }));

it("the agents of thousands of nodes ask rarely for what they have", () =>
  checking(async ({ cluster, needs, sleep }) => {
    await sleep(3_600_000);
    expect(needs.missing).toEqual([]);
    expect(reviews(cluster)).toBeLessThanOrEqual(13 * AGENT_RIGHTS.length);
    cluster.denied.add("get pods");
    await sleep(600_000);
    expect(needs.missing).toEqual(["the right is missing: get pods"]);
  }));
