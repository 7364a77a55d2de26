import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AllocationPlace } from "../../src/kernel/values/allocation-place.ts";
import { allocationStartIn, freshToken } from "../../src/kernel/values/fresh.ts";
import { formatCidr } from "../../src/net/cidr.ts";
import type { Key } from "../../src/table/item.ts";
import {
  addressInKey,
  affinityKey,
  allocationKey,
  allocationPlaceIn,
  allocationPrefix,
  applicationKey,
  blockGroupIndexKey,
  blockKey,
  borrowedBlockKey,
  budgetKey,
  ciliumReportKey,
  configKey,
  escaped,
  fullBlockKey,
  indexEntryKey,
  jobKey,
  machineKey,
  namespaceKey,
  nodeEntryKey,
  nodeKey,
  placeOfEntry,
  planKey,
  poolKey,
  quotaKey,
  quotaSlotKey,
  reportKey,
  requestRateKey,
  reservationKey,
  signOfLifeKey,
  spaceKey,
  statedKey,
  tombstoneKey,
  unescaped,
  versionKey,
} from "../../src/table/key.ts";
import { anyHandleHash, anyToken, BLOCKS_OF_EACH_SIZE, network } from "../builders.ts";
import { seededRandom } from "../simulation/random.ts";

/** The separators and escapes of keys, and texts that look like escapes. */
const PIECES = ["", "a", "#", "%", "%23", "%25", "23"];
/** All names of up to two pieces: every way to imitate a key with one separator or one escape. */
const NAMES = [...new Set(PIECES.flatMap((a) => PIECES.map((b) => a + b)))];
const anyName = fc.oneof(
  fc.array(fc.constantFrom(...PIECES)).map((pieces) => pieces.join("")),
  fc.string(),
);

const PLACE = { handleHash: "00000000000000ff", id: "id", keyed: false };

const entryAt = (place: AllocationPlace, attribute: string) => ({
  ...{ space: place.space, attribute, valueHash: "0000000000000001" },
  place,
});

describe("a name in a key", () => {
  it("is found again, whatever characters it has", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(unescaped(escaped(name))).toBe(name);
        expect(escaped(name)).not.toContain("#");
      }),
      { examples: NAMES.map((name) => [name] as [string]) },
    );
  });

  it("stays as it is when it needs no escaping", () => {
    expect(escaped("host:node-1.example.org")).toBe("host:node-1.example.org");
  });

  it("cannot forge the key of anything else", () => {
    const owners = new Map<string, string>();
    const claim = ({ pk, sk }: Key, owner: string) => {
      const key = JSON.stringify([pk, sk]);
      expect(owners.get(key) ?? owner).toBe(owner);
      owners.set(key, owner);
    };
    const block = network("10.0.0.0/26");
    const place = { handleHash: "85944171f73967e8", id: "0123456789abcdef", keyed: true };
    for (const space of NAMES) {
      claim(configKey(space), `configuration of ${space}`);
      claim(spaceKey(space), `space ${space}`);
      claim(versionKey(space), `version of ${space}`);
      claim(planKey(space), `plan of ${space}`);
      claim(blockKey(space, block), `block in ${space}`);
      claim(allocationKey({ space, ...place }), `allocation in ${space}`);
      for (const name of NAMES) {
        const who = JSON.stringify([space, name]);
        claim(poolKey(space, name), `pool ${who}`);
        claim(reservationKey(space, name), `reservation ${who}`);
        claim(quotaKey(space, name), `quota ${who}`);
        claim(requestRateKey(space, name), `requests of quota ${who}`);
        for (const of of ["addresses", "prefixes"] as const)
          claim(budgetKey({ space, quota: name, of }), `${of} of quota ${who}`);
        claim(blockGroupIndexKey(space, name, "0"), `block-group index ${who}`);
        claim(jobKey(space, name), `job ${who}`);
        claim(nodeKey(space, name), `node ${who}`);
        claim(nodeEntryKey(space, name), `entry of node ${who}`);
        claim(reportKey(space, name), `report of node ${who}`);
        claim(signOfLifeKey(space, name), `sign of life of node ${who}`);
        claim(ciliumReportKey(space, name, "uid"), `CiliumNode ${who}`);
        claim(ciliumReportKey("space", space, name), `CiliumNode of uid ${who}`);
        claim(tombstoneKey(space, name, "uid"), `tombstone of node ${who}`);
        claim(tombstoneKey("space", space, name), `tombstone of uid ${who}`);
        claim(statedKey({ space, node: name, uid: "uid", by: "node" }), `what ${who} states`);
        claim(statedKey({ space: "s", node: space, uid: name, by: "node" }), `states ${who}`);
        claim(machineKey({ id: "i-1", space, name, uid: "uid" }), `machine of node ${who}`);
        claim(machineKey({ id: space, space: "s", name: "n", uid: name }), `machine ${who}`);
        claim(namespaceKey(space, name), `namespace ${who}`);
        const application = { namespace: "shop", kind: "Deployment", name };
        claim(applicationKey(space, application), `application ${who}`);
        claim(affinityKey(space, `host:${name}`, 4, 0), `place of ${who}`);
        claim(affinityKey(space, `virtual:${name}`, 4, 0), `place of a virtual ${who}`);
      }
    }
  });

  it("is told from every other by its kind and its names", () => {
    const block = network("10.0.0.0/26");
    const kinds: Readonly<Record<string, (space: string, name: string) => Key>> = {
      pool: poolKey,
      reservation: reservationKey,
      quota: quotaKey,
      job: jobKey,
      node: nodeKey,
      entry: nodeEntryKey,
      namespace: namespaceKey,
      application: (space, name) =>
        applicationKey(space, { namespace: "shop", kind: "Deployment", name }),
      map: (space, name) => blockGroupIndexKey(space, name, "0"),
      place: (space, name) => affinityKey(space, `host:${name}`, 4, 0),
      virtual: (space, name) => affinityKey(space, `virtual:${name}`, 4, 0),
      full: (space, name) => fullBlockKey(space, `host:${name}`, block),
      borrowedBlock: (space, name) => borrowedBlockKey(space, `host:${name}`, block),
      quotaSlot: (space, name) => quotaSlotKey(space, name, 4, 0),
      indexEntry: (space, name) => indexEntryKey(entryAt({ space, ...PLACE }, name)),
    };
    const anyNamed = fc.tuple(fc.constantFrom(...Object.keys(kinds)), anyName, anyName);
    const keyOf = ([kind, space, name]: [string, string, string]) => kinds[kind]?.(space, name);
    fc.assert(
      fc.property(anyNamed, anyNamed, (a, b) => {
        expect(isDeepStrictEqual(keyOf(a), keyOf(b))).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it("belongs to one space and one owner, wherever a separator stands", () => {
    const place = (space: string, name: string) => affinityKey(space, `host:${name}`, 4, 0);
    const map = (space: string, name: string) => blockGroupIndexKey(space, name, "0");
    fc.assert(
      fc.property(anyName, anyName, anyName, (a, b, c) => {
        expect(map(a, `${b}#${c}`)).not.toEqual(map(`${a}#${b}`, c));
        expect(place(a, `${b}#host:${c}`)).not.toEqual(place(`${a}#host:${b}`, c));
      }),
    );
  });
});

describe("the key of an allocation", () => {
  const anyPlace = fc.record({
    space: anyName,
    handleHash: anyHandleHash,
    id: fc.oneof(anyToken, anyHandleHash),
    keyed: fc.boolean(),
  });

  it("says where the allocation lies", () => {
    fc.assert(
      fc.property(anyPlace, (place) => {
        expect(allocationPlaceIn(allocationKey(place))).toEqual(place);
      }),
    );
  });

  it("is found in the key of an index entry", () => {
    fc.assert(
      fc.property(anyPlace, anyName, (place, attribute) => {
        expect(placeOfEntry(indexEntryKey(entryAt(place, attribute)))).toEqual(place);
      }),
    );
  });

  it("begins as the token of each of its parts says", () => {
    fc.assert(
      fc.property(anyPlace, fc.integer(), (place, seed) => {
        const start = allocationStartIn(freshToken(place, seededRandom(seed)));
        expect(start && allocationKey(place).sk.startsWith(allocationPrefix(start))).toBe(true);
      }),
    );
  });

  it("of an Idempotency-Key is never one that was drawn at random", () => {
    const place = { space: "default", handleHash: "85944171f73967e8", id: "0123456789abcdef" };
    expect(allocationKey({ ...place, keyed: true })).not.toEqual(
      allocationKey({ ...place, keyed: false }),
    );
  });
});

describe("the key of a block", () => {
  it.each([
    {
      block: "10.32.17.64/26",
      pk: "BLOCK#tenant-7#10.32.16.0/20",
      sk: "10.32.17.64",
      description: "IPv4",
    },
    {
      block: "2001:db8::1040/122",
      pk: "BLOCK#tenant-7#2001:db8::1000/116",
      sk: "2001:db8::1040",
      description: "IPv6",
    },
  ])("is its block group and its address: $description", ({ block, pk, sk }) => {
    expect(blockKey("tenant-7", network(block))).toEqual({ pk, sk });
  });

  it.each(BLOCKS_OF_EACH_SIZE)("has the base of $size in it", ({ cidr }) => {
    const { sk } = blockKey("default", cidr);
    expect(addressInKey(sk)).toEqual({ family: cidr.family, value: cidr.base });
  });

  it("is another for another block, also one of another size at the same base", () => {
    const blocks = ["10.0.0.0/26", "10.0.0.0/27", "10.0.0.64/26", "10.16.0.0/26", "::/122"];
    const keys = blocks.map((text) => JSON.stringify(blockKey("default", network(text))));
    expect(new Set(keys).size).toBe(blocks.length);
    for (const { cidr } of BLOCKS_OF_EACH_SIZE)
      expect(keys, formatCidr(cidr)).not.toContain(JSON.stringify(blockKey("default", cidr)));
  });

  it("that holds no address is a broken table, said at once", () => {
    expect(() => addressInKey("node-1")).toThrow('the key "node-1" is not an address');
  });
});
