import { expect, it } from "vitest";
import { profileAssign } from "../../bench/profile/assign.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

it.runIf(emulatorBinary())(
  "the profile of an assign says of its processor time whose it is, in the bundle that is deployed",
  async () => {
    const { processorMs, shares } = await profileAssign(30);
    expect(processorMs).toBeGreaterThan(0);
    expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    for (const owner of [
      "the SDK: clients, marshalling, signature",
      "ours: walks",
      "ours: items and expressions",
      "ours: words in and out, with valibot",
    ])
      expect(shares.get(owner)).toBeGreaterThan(0);
  },
);
