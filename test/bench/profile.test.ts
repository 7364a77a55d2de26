import { expect, it } from "vitest";
import { profileAssign } from "../../bench/profile/assign.ts";
import { type Profile, sharesOf } from "../../bench/profile/shares.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

it.runIf(emulatorBinary())(
  "the profile of an assign says of its processor time whose it is, in the bundle that is deployed",
  async () => {
    const { processorMs, shares } = await profileAssign(30);
    expect(processorMs).toBeGreaterThan(0);
    expect([...shares.keys()]).toEqual(
      expect.arrayContaining(["the SDK: clients, marshalling, signature", "ours: walks"]),
    );
    expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  },
);

/** Two sources in the first line of a bundle: the second begins at column 10. */
const MAP = {
  file: "index.mjs",
  version: 3,
  sources: ["../../node_modules/@smithy/core/index.js", "../../src/kernel/assign/assign.ts"],
  sourcesContent: [],
  names: [],
  mappings: "AAAA,UCAA",
  sourceRoot: "",
};
const [SDK, WALKS] = [0, 10];

const frame = (functionName: string, url: string, columnNumber = 0) => ({
  functionName,
  url,
  lineNumber: 0,
  columnNumber,
});
const BUNDLE = "file:///var/task/index.mjs";
const PROFILE: Profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 3, 5, 6, 7] },
    { id: 2, callFrame: frame("send", BUNDLE, SDK) },
    { id: 3, callFrame: frame("assign", BUNDLE, WALKS), children: [4] },
    { id: 4, callFrame: frame("writev", "node:net") },
    { id: 5, callFrame: frame("(idle)", "") },
    { id: 6, callFrame: frame("(garbage collector)", "") },
    { id: 7, callFrame: frame("onread", "node:net") },
  ],
  samples: [2, 2, 3, 4, 5, 5, 5, 6, 7, 7],
};

it("a sample is of whose source the function lies in, and of its caller where it is Node.js's; who idles is not counted", () => {
  expect(Object.fromEntries(sharesOf(PROFILE, "index.mjs", MAP))).toEqual({
    "the SDK: clients, marshalling, signature": 2 / 7,
    "ours: walks": 2 / 7,
    "V8: collection of garbage": 1 / 7,
    "Node.js: network and events": 2 / 7,
  });
});
