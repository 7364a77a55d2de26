import { expect } from "vitest";
import { type Contents, joinedContents } from "../../src/invariants/contents.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { formatCidr } from "../../src/net/cidr.ts";
import {
  type ContentsPosition,
  listContents,
} from "../../src/nouns/contents/operations/list-contents.ts";
import { subnetIdOf } from "../../src/nouns/pool/pool.ts";
import { end } from "../applications.ts";
import { removeChildren } from "../child-pools.ts";
import { endCilium } from "../cilium.ts";
import { contentsIn, SPACE, scheduledRuns, type World } from "../world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Checks that a listing of the space, page by page, has every block of its pools and whatever holds something in them, also after a crash.
 */
async function expectListed(world: World, where: string): Promise<void> {
  const pages: Contents[] = [];
  let position: ContentsPosition | undefined;
  do {
    const page = await listContents(world.calm, { space: SPACE, position }, bytesOf, LISTED_MAX);
    pages.push(page.contents);
    position = page.next;
  } while (position);
  const listed = joinedContents(pages);
  const whole = contentsIn(world);
  const pools = new Set(whole.pools.map(subnetIdOf));
  const named = ({ blocks }: Contents) =>
    blocks
      .filter(({ poolId }) => pools.has(poolId))
      .map(({ cidr }) => formatCidr(cidr))
      .toSorted();
  expect(named(listed), `${where}: listed blocks`).toEqual(named(whole));
  expect(findViolations(listed), `${where}: in the listing`).toEqual(findViolations(whole));
}

/** Counts items as bytes, so that a few fill a page. */
const bytesOf = (contents: Contents): number => Object.values(contents).flat().length;
const LISTED_MAX = 8;

/**
 * Frees everything and lets it cool, then checks that the whole pool can be assigned again, so that
 * nothing leaked.
 */
export async function expectEverythingAssignable(world: World, where: string): Promise<void> {
  await expectListed(world, where);
  for (const { name, uid } of contentsIn(world).ciliumReports)
    await endCilium(world.calm, name, uid);
  const releaseUnheld = async () => {
    for (const { handle, childId } of contentsIn(world).allocations)
      if (childId === undefined) await releaseHandle(world.calm, SPACE, handle);
  };
  await releaseUnheld();
  for (const application of contentsIn(world).applications) await end(world.calm, application);
  await removeChildren(world);
  await releaseUnheld();
  await scheduledRuns(world, 3, DAY_MS + 3_600_000);
  const { blocks, affinities, allocations, quotaSlots, applications } = contentsIn(world);
  const left = [...blocks, ...affinities, ...allocations, ...quotaSlots, ...applications];
  expect(left, where).toEqual([]);
}

/** Returns true if every address of an answer is taken under the token of its generation. */
export function heldNow(world: World, told: Assignment | undefined): boolean {
  const { blocks } = contentsIn(world);
  const tokens = blocks.flatMap(({ slots }) =>
    [...slots.values()].flatMap((slot) => (slot.kind === "taken" ? [slot.token] : [])),
  );
  return (told?.addresses ?? []).every(({ generation }) => {
    const parsed = parseGeneration(generation);
    return parsed.ok && tokens.includes(parsed.value.token);
  });
}

export function isAssignment(answer: unknown): answer is Assignment {
  return typeof answer === "object" && answer !== null && "addresses" in answer;
}

/** Repeats a request while its answer asks for a retry, which is the only other answer under contention. */
export async function withRetries<T>(act: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error && error.name === "ContentionError")) throw error;
    return undefined;
  }
}
