import { same } from "../../../base/same.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { type Cidr, sameCidr } from "../../../net/cidr.ts";
import { isLater } from "../../node/judge-node.ts";
import {
  inPrefixPools,
  notPrefixes,
  type StatedNamed,
  type StatedRanges,
} from "../../node/stated-ranges.ts";

/** An incarnation of a node that states networks, and the version of the object that does. */
export interface Stating extends StatedNamed {
  /** Absent for a request. */
  readonly resourceVersion?: string;
}

/** Returns what is withheld for an incarnation of a node in one way. */
export const readStated = async (
  { store }: Context,
  { by, ...of }: StatedNamed,
): Promise<StatedRanges | undefined> =>
  (await store.listStated(of.space, of)).find((each) => each.by === by);

/**
 * Withholds networks that a node states before it takes those of them that are prefixes, if something was withheld for it before: all that
 * are no prefix of a pool, and what was withheld and is still stated. So nothing that was withheld is free until its node has it.
 *
 * @param seen what is withheld for it, as it was read
 * @returns what is withheld for it then
 */
export async function stateBefore(
  context: Context,
  of: Stating,
  cidrs: readonly Cidr[],
  seen: StatedRanges | undefined,
): Promise<readonly Cidr[]> {
  if (!seen) return [];
  const configuration = await configurationOf(context, of.space);
  const touching = inPrefixPools(configuration, cidrs);
  const others = notPrefixes(configuration, touching);
  return state(context, of, (before) =>
    touching.filter((cidr) => isAmong(others, cidr) || isAmong(before, cidr)),
  );
}

/**
 * Withholds what a node states and was not given.
 *
 * @param seen.withheld what is withheld for it already
 */
export async function stateAfter(
  context: Context,
  of: Stating,
  cidrs: readonly Cidr[],
  { given, withheld }: { readonly given: readonly Cidr[]; readonly withheld: readonly Cidr[] },
): Promise<void> {
  const missing = cidrs.filter((cidr) => !isAmong(given, cidr));
  if (missing.length === 0 && withheld.length === 0) return;
  const left = inPrefixPools(await configurationOf(context, of.space), missing);
  if (!same(left, withheld)) await state(context, of, () => left);
}

/**
 * Writes the networks that are withheld for a node, unless a later object of it has spoken. Whoever reads them later is assigned no
 * prefix that one of them touches; a request that read them before ends within `REQUEST_MS_MAX`.
 *
 * @returns what is withheld for it then
 */
function state(
  context: Context,
  of: Stating,
  next: (before: readonly Cidr[]) => readonly Cidr[],
): Promise<readonly Cidr[]> {
  const { store } = context;
  return compareAndSwap<readonly Cidr[]>(`the networks that node ${of.node} states`, async () => {
    const seen = await readStated(context, of);
    const before = seen?.cidrs ?? [];
    if (seen && isLaterThan(seen, of)) return answer(before);
    const cidrs = next(before);
    // The item names the last object that stated it, so that an earlier one which is late does not replace it.
    const isKnown = !seen || !isLaterThan(of, seen);
    if (same(cidrs, before) && isKnown) return answer(before);
    const stated: StatedRanges = { ...of, cidrs, revision: fresh(context) };
    // Each write names what it saw. One without an answer is read again, and a second write shuts it out.
    const written = await (seen && cidrs.length === 0 && of.resourceVersion === undefined
      ? store.deleteStated(seen)
      : seen
        ? store.changeStated(seen, stated)
        : store.createStated(stated));
    if (written.outcome !== "done") return RETRY;
    // A later object that states nothing has found no item, and left none.
    if (seen || !(await hasSpokenSince(context, of))) return answer(cidrs);
    await store.deleteStated(stated);
    return answer([]);
  });
}

/** Returns true if a later object of the uid is known. */
async function hasSpokenSince({ store }: Context, of: Stating): Promise<boolean> {
  const { space, node, uid, by, resourceVersion } = of;
  if (resourceVersion === undefined) return false;
  const { report, ciliumReports } = await store.readNodeObjects(space, node);
  const known = by === "node" ? report : ciliumReports.find((each) => each.uid === uid);
  return known?.uid === uid && isLater(known, { resourceVersion });
}

const isLaterThan = (one: Versioned, other: Versioned): boolean =>
  one.resourceVersion !== undefined &&
  other.resourceVersion !== undefined &&
  isLater({ resourceVersion: one.resourceVersion }, { resourceVersion: other.resourceVersion });

type Versioned = Pick<StatedRanges, "resourceVersion">;

/**
 * Withholds nothing more for one incarnation of a node, in the ways that are named or in all, or one network less.
 *
 * @returns the networks that were withheld
 */
export async function unstate(
  context: Context,
  { space, node, uid }: Omit<StatedNamed, "by">,
  only: { readonly by?: readonly StatedNamed["by"][]; readonly cidr?: Cidr | undefined } = {},
): Promise<readonly Cidr[]> {
  const { store } = context;
  const gone: Cidr[] = [];
  await compareAndSwap<void>(`the networks that node ${node} states`, async () => {
    const stated = await store.listStated(space, { node, uid });
    for (const seen of stated.filter(({ by }) => only.by?.includes(by) ?? true)) {
      const { cidr } = only;
      const goes = seen.cidrs.filter((each) => !cidr || sameCidr(each, cidr));
      if (cidr && goes.length === 0) continue;
      const cidrs = seen.cidrs.filter((each) => !goes.includes(each));
      const written = await (cidrs.length === 0
        ? store.deleteStated(seen)
        : store.changeStated(seen, { ...seen, cidrs, revision: fresh(context) }));
      if (written.outcome !== "done") return RETRY;
      gone.push(...goes);
    }
    return answer(undefined);
  });
  return gone;
}

const isAmong = (cidrs: readonly Cidr[], cidr: Cidr): boolean =>
  cidrs.some((each) => sameCidr(each, cidr));
