import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeHandle, nodeOfHandle } from "../../../src/kernel/values/handle.ts";

describe("the handle of a node", () => {
  it("names the node and its uid", () => {
    expect(nodeHandle("node-1", "8f3e")).toBe("node/node-1/8f3e");
  });

  it("is read back to them", () => {
    const part = fc.stringMatching(/^[\w.-]{1,64}$/);
    fc.assert(
      fc.property(part, part, (node, uid) => {
        expect(nodeOfHandle(nodeHandle(node, uid))).toEqual({ node, uid });
      }),
    );
  });

  it.each(["web-0", "node/", "node/a", "node/a/", "node/a/b/c", "workload/a/b"])(
    "is not %s",
    (handle) => expect(nodeOfHandle(handle)).toBeUndefined(),
  );
});
