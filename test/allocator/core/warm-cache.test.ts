import { describe, expect, it } from "vitest";
import { Memory } from "../../../src/allocator/core/warm-cache.ts";
import type { HostId } from "../../../src/domain/host.ts";
import {
  REMEMBERED_BLOCKS_MAX,
  REMEMBERED_BLOCKS_PER_HOST_MAX,
  REMEMBERED_CELLS_MAX,
  REMEMBERED_LABELS_MAX,
  REMEMBERED_SPACES_MAX,
} from "../../../src/domain/limits.ts";
import type { SpaceConfiguration } from "../../../src/domain/pool.ts";
import { blockWith, network, taken } from "../../domain/builders.ts";

const FIRST = network("10.0.0.0/29");
const SECOND = network("2001:db8::/122");
const SPACE = "default";
const numbered = (i: number): HostId => `host:node-${i}`;

describe("a warm function", () => {
  it("knows the blocks of a host as it saw them last", () => {
    const memory = new Memory();
    const [old, now] = [blockWith({}, { cidr: FIRST }), blockWith({ 0: taken() }, { cidr: FIRST })];
    const second = blockWith({}, { cidr: SECOND });
    for (const block of [old, second, now]) memory.remember(block);
    expect(memory.blocksOf(SPACE, "host:node-1")).toEqual([now, second]);
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
    const memory = new Memory();
    memory.remember(blockWith({}));
    memory.forget(space, host, blockWith({}).cidr);
    expect(memory.blocksOf(space, host)).toEqual([]);
    expect(memory.blocksOf(SPACE, "host:node-1")).toHaveLength(1);
  });

  it("forgets the one block it is told to forget", () => {
    const memory = new Memory();
    for (const cidr of [FIRST, SECOND]) memory.remember(blockWith({}, { cidr }));
    memory.forget(SPACE, "host:node-1", FIRST);
    expect(memory.blocksOf(SPACE, "host:node-1").map(({ cidr }) => cidr)).toEqual([SECOND]);
  });

  it("keeps what a release saw of a block only where it assigns from that block", () => {
    const memory = new Memory();
    memory.remember(blockWith({}, { cidr: FIRST }));
    const seen = blockWith({ 0: taken() }, { cidr: FIRST });
    memory.refresh(seen);
    memory.refresh(blockWith({}, { cidr: SECOND }));
    memory.refresh(blockWith({}, { cidr: FIRST, host: "host:node-2" }));
    expect(memory.blocksOf(SPACE, "host:node-1")).toEqual([seen]);
    expect(memory.blocksOf(SPACE, "host:node-2")).toEqual([]);
  });
});

describe("a warm function whose memory is full", () => {
  const fullMemory = () => {
    const memory = new Memory();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      memory.remember(blockWith({}, { host: numbered(i) }));
    const known = (i: number) => memory.blocksOf(SPACE, numbered(i)).length > 0;
    return { memory, known };
  };
  const newcomer = blockWith({}, { host: "host:newcomer" });

  it("forgets the host that was quiet longest, with all its blocks", () => {
    const { memory, known } = fullMemory();
    memory.remember(blockWith({}, { host: numbered(0) }));
    memory.refresh(blockWith({}, { host: numbered(1) }));
    memory.remember(newcomer);
    expect([0, 1, 2, 3].map(known)).toEqual([true, true, false, true]);
    expect(memory.blocksOf(SPACE, "host:newcomer")).toEqual([newcomer]);
  });

  it("forgets nobody when it sees a block again that it knows", () => {
    const { memory, known } = fullMemory();
    for (let i = 0; i < 3; i++) memory.remember(blockWith({}, { host: numbered(7) }));
    expect(known(0)).toBe(true);
  });

  it("has room again for as many blocks as it was told to forget", () => {
    const { memory, known } = fullMemory();
    memory.forget(SPACE, numbered(7), newcomer.cidr);
    memory.remember(newcomer);
    expect([known(0), known(7)]).toEqual([true, false]);
  });

  it("never remembers more blocks than it may, however many the hosts have", () => {
    const { memory } = fullMemory();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      for (const cidr of [FIRST, SECOND])
        memory.remember(blockWith({}, { cidr, host: numbered(i) }));
    let count = 0;
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      count += memory.blocksOf(SPACE, numbered(i)).length;
    expect(count).toBe(REMEMBERED_BLOCKS_MAX);
  });

  it("forgets no other host for one that has more blocks than it may remember", () => {
    const { memory, known } = fullMemory();
    const blocks = Array.from({ length: REMEMBERED_BLOCKS_MAX + 1 }, (_, n) =>
      blockWith({}, { host: "host:large", cidr: network(`10.${1 + (n >> 8)}.${n & 255}.0/29`) }),
    );
    for (const block of blocks) memory.remember(block);
    expect(memory.blocksOf(SPACE, "host:large")).toEqual(
      blocks.slice(-REMEMBERED_BLOCKS_PER_HOST_MAX),
    );
    expect(known(REMEMBERED_BLOCKS_PER_HOST_MAX - 1)).toBe(false);
    expect(known(REMEMBERED_BLOCKS_PER_HOST_MAX + 1)).toBe(true);
  });

  it("keeps to its limit after it forgot hosts", () => {
    const { memory } = fullMemory();
    for (let i = 0; i < REMEMBERED_BLOCKS_MAX; i++)
      memory.forget(SPACE, numbered(i), newcomer.cidr);
    const later = Array.from({ length: REMEMBERED_BLOCKS_MAX + 100 }, (_, i) => numbered(1e6 + i));
    for (const host of later) memory.remember(blockWith({}, { host }));
    const known = later.filter((host) => memory.blocksOf(SPACE, host).length > 0);
    expect(known).toHaveLength(REMEMBERED_BLOCKS_MAX);
  });
});

describe("one more than a warm function may remember costs it what it used longest ago, and nothing else", () => {
  /** Keeps as many as it may, uses the first again, then keeps one more; which of the first three are known then. */
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
    const memory = new Memory();
    const copy = { configuration: {} as SpaceConfiguration, loadedAtMs: 0, freshUntilMs: 1 };
    const known = knownAfter(
      REMEMBERED_SPACES_MAX,
      (i) => memory.keepConfiguration(`space-${i}`, copy),
      (i) => memory.configurationOf(`space-${i}`) !== undefined,
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of cells", () => {
    const memory = new Memory();
    const known = knownAfter(
      REMEMBERED_CELLS_MAX,
      (i) => memory.rememberCell(`cell ${i}`),
      (i) => memory.knowsCell(`cell ${i}`),
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of loans", () => {
    const memory = new Memory();
    const known = knownAfter(
      REMEMBERED_CELLS_MAX,
      (i) => memory.rememberLoan(numbered(i), blockWith({})),
      (i) => memory.knowsLoan(numbered(i), blockWith({})),
    );
    expect(known).toEqual(keptButTheSecond);
  });

  it("of labels", () => {
    const { labels } = new Memory();
    const known = knownAfter(
      REMEMBERED_LABELS_MAX,
      (i) => labels.keep(`host ${i}`, Promise.resolve({}), 1),
      (i) => labels.of(`host ${i}`, 0) !== undefined,
    );
    expect(known).toEqual(keptButTheSecond);
  });
});
