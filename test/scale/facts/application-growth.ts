import {
  APPLICATION_ADDRESSES_MAX,
  APPLICATION_ADDRESSES_PER_CHANGE,
  GROUPS_SEARCHED_MAX,
} from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import {
  BLOCKS_PER_GROUP,
  blocksOfGroup,
  groupAt,
  groupCount,
} from "../../../src/kernel/values/block-group.ts";
import { isComplete } from "../../../src/nouns/application/changes.ts";
import { putApplication } from "../../../src/nouns/application/operations/put-application.ts";
import { applicationKey } from "../../../src/table/key.ts";
import { putHolding, specOf, WEB } from "../applications.ts";
import { putFullBlocks } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { callsOf } from "../requests.ts";
import { READ_BEFORE_WRITE } from "../sabotages.ts";
import {
  blockItem,
  type LargeCloud,
  poolOf,
  putSpace,
  rangedPoolOf,
  takenSlots,
} from "../scene.ts";
import { SPACE } from "./layout.ts";

const ADDRESSES_PER_BLOCK = 64;
const GROWTH_CALLS_MAX = GROUPS_SEARCHED_MAX + 8;

/** Returns the facts about an application that gets as many addresses as one request works on. */
export const growthFacts = (form: Form): readonly Fact[] =>
  roomsOf(form).map(({ size, callsEach, set }) => ({
    name: `An application gets ${APPLICATION_ADDRESSES_PER_CHANGE} addresses more in at most ${callsEach} calls for each, and ${GROWTH_CALLS_MAX}`,
    size,
    bound: callsEach * APPLICATION_ADDRESSES_PER_CHANGE + GROWTH_CALLS_MAX,
    unit: "calls",
    broken: READ_BEFORE_WRITE,
    async measure(newCloud) {
      const cloud = await newCloud();
      const pools = set(cloud);
      const isThere = cloud.items.get(applicationKey(SPACE, WEB)) !== undefined;
      const number = isThere ? APPLICATION_ADDRESSES_MAX : APPLICATION_ADDRESSES_PER_CHANGE;
      const precondition = isThere ? ({ match: "any" } as const) : undefined;
      return cloud.clock.run(() =>
        callsOf(new LambdaFunction(cloud), async (context) => {
          const spec = specOf(number, pools);
          const answer = await putApplication(context, SPACE, WEB, spec, precondition);
          if (!(answer instanceof Rejection) && !isComplete(answer.value))
            throw new Error(`an application lacks addresses: ${answer.unfinished?.detail}`);
          return answer;
        }),
      );
    },
  }));

/** A scene in which an application gets more addresses than it has. */
interface Room {
  readonly size: string;
  readonly callsEach: number;
  /** Sets the scene. Returns the pools of the application, by name. */
  set(cloud: LargeCloud): readonly string[];
}

function roomsOf(form: Form): readonly Room[] {
  const [large, blocks] = form === "full" ? ["64.0.0.0/6", 1_048_576] : ["64.0.0.0/13", 8_192];
  return [
    {
      size: `${APPLICATION_ADDRESSES_MAX - APPLICATION_ADDRESSES_PER_CHANGE} addresses before, and one free address in each of ${APPLICATION_ADDRESSES_PER_CHANGE} blocks`,
      callsEach: 1,
      set: putRoomInEachBlock,
    },
    {
      size: "a pool of blocks of one address, none of which exists",
      callsEach: 2,
      set({ items }) {
        putSpace(items, SPACE, [rangedPoolOf(SPACE, "main", "10.0.0.0/16", { blockSize: 32 })]);
        return ["main"];
      },
    },
    {
      size: `two pools, the first of ${blocks} full blocks`,
      callsEach: 0,
      set(cloud) {
        const pool = rangedPoolOf(SPACE, "main", large);
        putSpace(cloud.items, SPACE, [pool, rangedPoolOf(SPACE, "next", "10.0.0.0/16")]);
        putFullBlocks(cloud.items, pool, Number(groupCount(pool)));
        return ["main", "next"];
      },
    },
  ];
}

/**
 * Puts a pool of as many groups as a request reads. It has free addresses in all of them but the last one, where the application has
 * the addresses of some blocks.
 */
function putRoomInEachBlock(cloud: LargeCloud): readonly string[] {
  const cidr = "64.0.0.0/15";
  const { base } = poolOf(SPACE, "main", cidr).cidr;
  const groupAddresses = BigInt(BLOCKS_PER_GROUP * ADDRESSES_PER_BLOCK);
  const last = base + BigInt(GROUPS_SEARCHED_MAX) * groupAddresses - 1n;
  const pool = rangedPoolOf(SPACE, "main", cidr, { ranges: [{ family: 4, first: base, last }] });
  putSpace(cloud.items, SPACE, [pool]);
  putFullBlocks(cloud.items, pool, GROUPS_SEARCHED_MAX);
  const blocks = Array.from({ length: GROUPS_SEARCHED_MAX }, (_, index) =>
    blocksOfGroup(pool, groupAt(pool, BigInt(index))),
  );
  const others = blocks.slice(0, -1).flat();
  const step = Math.floor(others.length / APPLICATION_ADDRESSES_PER_CHANGE);
  for (let i = 0; i < APPLICATION_ADDRESSES_PER_CHANGE; i++) {
    const [cidr] = others.slice(i * step);
    const slots = takenSlots(ADDRESSES_PER_BLOCK - 1);
    if (cidr) cloud.items.put(blockItem(pool, { cidr, slots }));
  }
  const held = APPLICATION_ADDRESSES_MAX - APPLICATION_ADDRESSES_PER_CHANGE;
  const own = (blocks.at(-1) ?? []).slice(0, held / ADDRESSES_PER_BLOCK);
  putHolding(
    cloud.items,
    pool,
    own.map((cidr) => ({ cidr, held: ADDRESSES_PER_BLOCK })),
  );
  return ["main"];
}
