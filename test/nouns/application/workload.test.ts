import { describe, expect, it } from "vitest";
import {
  instanceAfter,
  isKeptKind,
  isReplaced,
  isWorkloadHandle,
  workloadHandle,
} from "../../../src/nouns/application/workload.ts";
import { podOf } from "../../instances.ts";

describe("an instance of a workload", () => {
  it("has one handle under each uid, which no other handle looks like", () => {
    expect(workloadHandle(podOf("a"))).toBe("workload/shop/StatefulSet/db/db-0");
    expect(workloadHandle(podOf("b"))).toBe(workloadHandle(podOf("a")));
    expect(isWorkloadHandle(workloadHandle(podOf("a")))).toBe(true);
    expect(isWorkloadHandle("workloads/a")).toBe(false);
  });

  it.each([
    ["StatefulSet", true],
    ["VirtualMachine", true],
    ["VirtualMachineInstance", true],
    ["Deployment", false],
    ["statefulset", false],
    ["constructor", false],
  ])("of kind %s keeps its addresses: %s", (kind, keeps) => {
    expect(isKeptKind({ kind })).toBe(keeps);
  });

  it("remembers the uids before the current one, each once", () => {
    const first = instanceAfter(undefined, podOf("a"), "1");
    const again = instanceAfter(first, podOf("a"), "2");
    const second = instanceAfter(again, podOf("b"), "3");
    expect([first, again, second].map(({ earlierUids }) => earlierUids)).toEqual([[], [], ["a"]]);
    expect(isReplaced(second, podOf("a"))).toBe(true);
    expect(isReplaced(second, podOf("b"))).toBe(false);
    expect(isReplaced(undefined, podOf("a"))).toBe(false);
  });
});
