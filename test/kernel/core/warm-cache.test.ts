import { describe, expect, it } from "vitest";
import {
  REMEMBERED_BLOCKS_MAX,
  REMEMBERED_BLOCKS_PER_HOST_MAX,
  REMEMBERED_GROUPS_MAX,
  REMEMBERED_LABELS_MAX,
  REMEMBERED_SPACES_MAX,
  WarmCache,
} from "../../../src/kernel/core/warm-cache.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import type { SpaceConfiguration } from "../../../src/nouns/pool/configuration.ts";
import { blockWith, network, taken } from "../../builders.ts";

const FIRST = network("10.0.0.0/29");
const SECOND = network("2001:db8::/122");
const SPACE = "default";
const numbered = (i: number): HostId => `host:node-${i}`;

describe("a warm function", () => {
  it("knows the blocks of a host as it saw them last", () => {
    const cache = new WarmCache();
    const [old, now] = [blockWith({}, { cidr: FIRST }), blockWith({ 0: taken() }, { cidr: FIRST })];
    const second = blockWith({}, { cidr: SECOND });
    for (const block of [old, second, now]) cache.remember(block);
    expect(cache.blocksOf(SPACE, "host:node-1")).toEqual([now, second]);
  });

  it.each([
    { description: "another host", space: SPACE, host: "host:node-2" },
    { description: "a virtual owner of the same name", space: SPACE, host: "virtual:node-1" },
    {
      description: "the host of that name in another space",
      space: "tenant-7",
      host: "host:node-1",
    },
  ] as const)("does not take a host's blocks for those of $description", ({ space, host }) => {
    const cache = new WarmCache();
    cache.remember(blockWith({}));
    cache.forget(space, host, blockWith({}).cidr);
    expect(cache.blocksOf(space, host)).toEqual([]);
    expect(cache.blocksOf(SPACE, "host:node-1")).toHaveLength(1);
  });

  it("forgets the one block it is told to forget", () => {
    const cache = new WarmCache();
    for (const cidr of [FIRST, SECOND]) cache.remember(blockWith({}, { cidr }));
    cache.forget(SPACE, "host:node-1", FIRST);
    expect(cache.blocksOf(SPACE, "host:node-1").map(({ cidr }) => cidr)).toEqual([SECOND]);
  });

  it("keeps what a release saw of a block only where it assigns from that block", () => {
    const cache = new WarmCache();
    cache.remember(blockWith({}, { cidr: FIRST }));
    const seen = blockWith({ 0: taken() }, { cidr: FIRST });
    cache.refresh(seen);
    cache.refresh(blockWith({}, { cidr: SECOND }));
    cache.refresh(blockWith({}, { cidr: FIRST, host: "host:node-2" }));
    expect(cache.blocksOf(SPACE, "host:node-1")).toEqual([seen]);
    expect(cache.blocksOf(SPACE, "host:node-2")).toEqual([]);
  });
});

describe("a warm function whose memory is full", () => {
  const fullMemory = () => {
    const cache = new WarmCache();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      cache.remember(blockWith({}, { host: numbered(i) }));
    const known = (i: number) => cache.blocksOf(SPACE, numbered(i)).length > 0;
    return { cache, known };
  };
  const newcomer = blockWith({}, { host: "host:newcomer" });

  it("forgets the host that was quiet longest, with all its blocks", () => {
    const { cache, known } = fullMemory();
    cache.remember(blockWith({}, { host: numbered(0) }));
    cache.refresh(blockWith({}, { host: numbered(1) }));
    cache.remember(newcomer);
    expect([0, 1, 2, 3].map(known)).toEqual([true, true, false, true]);
    expect(cache.blocksOf(SPACE, "host:newcomer")).toEqual([newcomer]);
  });

  it("forgets nobody when it sees a block again that it knows", () => {
    const { cache, known } = fullMemory();
    for (let i = 0; i < 3; i++) cache.remember(blockWith({}, { host: numbered(7) }));
    expect(known(0)).toBe(true);
  });

  it("has room again for as many blocks as it was told to forget", () => {
    const { cache, known } = fullMemory();
    cache.forget(SPACE, numbered(7), newcomer.cidr);
    cache.remember(newcomer);
    expect([known(0), known(7)]).toEqual([true, false]);
  });

  it("never remembers more blocks than it may, however many the hosts have", () => {
    const { cache } = fullMemory();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      for (const cidr of [FIRST, SECOND])
        cache.remember(blockWith({}, { cidr, host: numbered(i) }));
    let count = 0;
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      count += cache.blocksOf(SPACE, numbered(i)).length;
    expect(count).toBe(REMEMBERED_BLOCKS_MAX);
  });

  it("forgets no other host for one that has more blocks than it may remember", () => {
    const { cache, known } = fullMemory();
    const blocks = Array.from({ length: REMEMBERED_BLOCKS_MAX + 1 }, (_, n) =>
      blockWith({}, { host: "host:large", cidr: network(`10.${1 + (n >> 8)}.${n & 255}.0/29`) }),
    );
    for (const block of blocks) cache.remember(block);
    expect(cache.blocksOf(SPACE, "host:large")).toEqual(
      blocks.slice(-REMEMBERED_BLOCKS_PER_HOST_MAX),
    );
    expect(known(REMEMBERED_BLOCKS_PER_HOST_MAX - 1)).toBe(false);
    expect(known(REMEMBERED_BLOCKS_PER_HOST_MAX + 1)).toBe(true);
  });

  it("keeps to its limit after it forgot hosts", () => {
    const { cache } = fullMemory();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++) cache.forget(SPACE, numbered(i), newcomer.cidr);
    const later = Array.from({ length: REMEMBERED_BLOCKS_MAX + 100 }, (_, i) => numbered(1e6 + i));
    for (const host of later) cache.remember(blockWith({}, { host }));
    const known = later.filter((host) => cache.blocksOf(SPACE, host).length > 0);
    expect(known).toHaveLength(REMEMBERED_BLOCKS_MAX);
  });
});

describe("one more than a warm function may remember costs it what it used longest ago, and nothing else", () => {
  /** Fills a cache, uses its first entry, adds one more, and returns which of the first three and the last it knows. */
  const knownAfter = (
    countMax: number,
    keep: (i: number) => void,
    knows: (i: number) => boolean,
  ) => {
    for (let i = 0; i < countMax; i++) keep(i);
    knows(0);
    keep(countMax);
    return [0, 1, 2, countMax].map(knows);
  };
  const keptButTheSecond = [true, false, true, true];

  it("of configurations of spaces", () => {
    const cache = new WarmCache();
    const copy = { configuration: {} as SpaceConfiguration, loadedAtMs: 0, freshUntilMs: 1 };
    const known = knownAfter(
      REMEMBERED_SPACES_MAX,
      (i) => cache.keepConfiguration(`space-${i}`, copy),
      (i) => cache.configurationOf(`space-${i}`) !== undefined,
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of block groups", () => {
    const cache = new WarmCache();
    const known = knownAfter(
      REMEMBERED_GROUPS_MAX,
      (i) => cache.rememberGroup(`block group ${i}`),
      (i) => cache.knowsGroup(`block group ${i}`),
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of borrowed blocks", () => {
    const cache = new WarmCache();
    const known = knownAfter(
      REMEMBERED_GROUPS_MAX,
      (i) => cache.rememberBorrowedBlock(numbered(i), blockWith({})),
      (i) => cache.knowsBorrowedBlock(numbered(i), blockWith({})),
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of hosts and namespaces", () => {
    const { registered } = new WarmCache();
    const known = knownAfter(
      REMEMBERED_LABELS_MAX,
      (i) => registered.keep(`host ${i}`, Promise.resolve({ labels: {} }), 1),
      (i) => registered.of(`host ${i}`, 0) !== undefined,
    );
    expect(known).toEqual(keptButTheSecond);
  });
});
