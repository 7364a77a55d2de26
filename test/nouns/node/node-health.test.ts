import { expect, it } from "vitest";
import { taintsAfter } from "../../../src/nouns/node/node-health.ts";

const taint = (name: string, effect: string) => ({ key: `node.kubernetes.io/${name}`, effect });
const taints = (name: string) => ["NoSchedule", "NoExecute"].map((effect) => taint(name, effect));

it.each([
  "memory-pressure",
  "disk-pressure",
  "network-unavailable",
  "pid-pressure",
  "unschedulable",
])("a NoExecute taint %s is not Plat's: it stays, and no evicting taint follows it", (name) => {
  const own = [taint(name, "NoExecute")];
  expect(taintsAfter(own, [])).toBeUndefined();
  expect(taintsAfter(own, taints("not-ready"))).toEqual([...own, taint("not-ready", "NoSchedule")]);
});

it("an evicting taint not-ready goes if the node is ready, and gives way to unreachable", () => {
  const own = taints("not-ready");
  expect(taintsAfter(own, [])).toEqual([]);
  expect(taintsAfter(own, taints("unreachable"))).toEqual(taints("unreachable"));
});

it("a taint of another effect is not Plat's", () => {
  expect(taintsAfter([taint("not-ready", "PreferNoSchedule")], [])).toBeUndefined();
});
