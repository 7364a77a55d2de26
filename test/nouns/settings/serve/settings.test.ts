import { describe, expect, it } from "vitest";
import { parseSettingsPut } from "../../../../src/nouns/settings/serve/settings.ts";
import { SETTINGS_DEFAULT } from "../../../../src/nouns/settings/settings.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown) => parseSettingsPut(eventOf("PUT", "/v1/config", { body }));

describe("the configuration", () => {
  it("has its default wherever nothing is said", () => {
    expect(put({})).toMatchObject({ settings: SETTINGS_DEFAULT });
    expect(put({ cooldownSeconds: 0 })).toMatchObject({
      settings: { ...SETTINGS_DEFAULT, cooldownSeconds: 0 },
    });
  });

  it("takes everything that is said of it", () => {
    const settings = {
      strictAffinity: true,
      autoAllocateBlocks: false,
      warmBlocksPerHost: 16,
      cooldownSeconds: 1200,
      blockMinAgeSeconds: 0,
      maxBlocksPerHost: 1,
      maxAddressesPerRequest: 4096,
      allowBareRelease: true,
    };
    expect(put(settings)).toMatchObject({ settings });
  });

  it.each<[string, unknown, string]>([
    ["a cooldown of an hour", { cooldownSeconds: 3600 }, "cooldownSeconds: must be a whole number"],
    [
      "a negative age",
      { blockMinAgeSeconds: -1 },
      "blockMinAgeSeconds: must be a whole number from",
    ],
    [
      "no block for a host",
      { maxBlocksPerHost: 0 },
      "maxBlocksPerHost: must be a whole number from 1 to 1000000, or null for no cap",
    ],
    [
      "a text as number",
      { maxAddressesPerRequest: "9" },
      "maxAddressesPerRequest: must be a whole",
    ],
    ["a number as flag", { allowBareRelease: 1 }, "allowBareRelease: must be true or false"],
    ["a text as affinity", { strictAffinity: "yes" }, "strictAffinity: must be true or false"],
    ["a number as leave", { autoAllocateBlocks: 0 }, "autoAllocateBlocks: must be true or false"],
    [
      "17 warm blocks",
      { warmBlocksPerHost: 17 },
      "warmBlocksPerHost: must be a whole number from 0 to 16",
    ],
    ["five indexes", { indexedAttributes: [..."abcde"] }, "indexedAttributes: must have at most 4"],
    ["an index twice", { indexedAttributes: ["a", "a"] }, "indexedAttributes: must name each"],
    ["a text as indexes", { indexedAttributes: "a" }, "indexedAttributes: must be a list of"],
    [
      "an index of no name",
      { indexedAttributes: [""] },
      "indexedAttributes[0]: must have a name of",
    ],
    [
      "an index by __proto__",
      { indexedAttributes: ["__proto__"] },
      "indexedAttributes[0]: is a name",
    ],
    [
      "an index by note",
      { indexedAttributes: ["note"] },
      "indexedAttributes[0]: cannot be indexed",
    ],
    ["an unknown field", { affinity: true }, "affinity: is not a field here; known are"],
    ["an array", [], "body: must be an object"],
  ])("with %s is rejected by the name of the field", (_, body, rejection) => {
    expect(rejectedFields(() => put(body))).toEqual([expect.stringContaining(rejection)]);
  });
});
