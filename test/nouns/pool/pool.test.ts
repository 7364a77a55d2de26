import { describe, expect, it } from "vitest";
import { cooldownMsOf } from "../../../src/nouns/pool/pool.ts";
import { SETTINGS_DEFAULT } from "../../../src/nouns/settings/settings.ts";
import { poolWith } from "../../builders.ts";

const settings = { ...SETTINGS_DEFAULT, cooldownSeconds: 45 };

describe("the cooldown of an address", () => {
  it.each([
    { description: "its pool's own", pool: poolWith({ cooldownSeconds: 7 }), ms: 7_000 },
    {
      description: "its pool's own, also if that is none",
      pool: poolWith({ cooldownSeconds: 0 }),
      ms: 0,
    },
    { description: "the space's, if its pool has none of its own", pool: poolWith(), ms: 45_000 },
    { description: "the space's, if its pool is gone", pool: undefined, ms: 45_000 },
  ])("is $description", ({ pool, ms }) => {
    expect(cooldownMsOf(pool, settings)).toBe(ms);
  });
});
