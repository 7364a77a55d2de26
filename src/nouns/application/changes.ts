import type { RejectionCode } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import {
  type Application,
  type ListedAddress,
  type ListedState,
  type Ordinals,
  ordinalsOf,
  type Target,
  wantedEach,
} from "./application.ts";

/** The count of an application's addresses in one interface and family, beside the number that it wants. */
export interface TargetCount {
  readonly target: Target;
  /** Addresses that it has, or is about to have. */
  readonly has: number;
  /** The number of further addresses that it wants. */
  readonly short: number;
  /** The number of addresses that it has beyond its number. */
  readonly surplus: number;
}

/**
 * Counts what an application lacks, and has too many of, in each interface and family that it wants or lists. A retained one lacks
 * nothing, and keeps all.
 */
export function countsOf(application: Application): readonly TargetCount[] {
  if (application.state === "retained") return [];
  const counted = (wanted: number) => (target: Target) => {
    const has = membersOf(application, target).length;
    return { target, has, short: Math.max(0, wanted - has), surplus: Math.max(0, has - wanted) };
  };
  return [
    ...application.targets.map(counted(wantedEach(application))),
    ...unwantedIn(application).map(counted(0)),
  ];
}

/** Returns the interfaces and families of listed addresses that the application wants no longer. */
function unwantedIn({ targets, listed }: Application): Target[] {
  const found: Target[] = [];
  for (const { interface: of, address, state } of listed) {
    const is = (target: Target) => target.interface === of && target.family === address.family;
    if (state === "leaving" || targets.some(is) || found.some(is)) continue;
    found.push({ interface: of, family: address.family, poolIds: [] });
  }
  return found;
}

/** Returns the addresses of an interface and family that the application has, or is about to have. */
export const membersOf = (
  { listed }: Application,
  target: Pick<Target, "interface" | "family">,
): readonly ListedAddress[] =>
  listed.filter(
    ({ interface: of, address, state }) =>
      state !== "leaving" && of === target.interface && address.family === target.family,
  );

/** Returns true if nothing is left to do: the application has its number, and nothing that must go. */
export const isComplete = (application: Application): boolean =>
  application.listed.every(({ state }) => state === "in") &&
  countsOf(application).every(({ short, surplus }) => short === 0 && surplus === 0) &&
  lostOrdinals(application).length === 0;

/** The reason why an application is not complete. */
export interface Unfinished {
  /** Absent if the same request can go on at once, or if instances have the addresses. */
  readonly code?: RejectionCode;
  /** A sentence for a person. */
  readonly detail: string;
}

/** Returns what is left to do for an application, by what it lists; nothing if it is complete. */
export function unfinishedOf(application: Application): Unfinished | undefined {
  if (isComplete(application)) return undefined;
  const counts = countsOf(application);
  const sum = (of: "short" | "surplus") => counts.reduce((total, count) => total + count[of], 0);
  const [short, surplus] = [sum("short"), sum("surplus")];
  const count = (state: ListedState) =>
    application.listed.filter((listed) => listed.state === state).length;
  const isDeleting = application.state === "deleting";
  const left = [
    ...(short > 0 ? [`${addresses(short)} to add`] : []),
    ...(count("named") > 0 ? [`${addresses(count("named"))} about to be held`] : []),
    ...(count("leaving") > 0 ? [`${addresses(count("leaving"))} to free once unused`] : []),
    ...(surplus > 0 ? [`${addresses(surplus)} too many until instances release them`] : []),
    ...(lostOrdinals(application).length > 0 ? ["instances without a replica to look at"] : []),
  ].join(", ");
  return {
    detail: isDeleting
      ? `The application is being deleted: ${left}.`
      : `The application is not complete: ${left}. The same PUT goes on.`,
  };
}

const addresses = (count: number): string => `${count} address${count === 1 ? "" : "es"}`;

/** Returns true if nothing of a deleted application is left, so that its item can be deleted. */
export const isGone = ({ state, listed, ordinals }: Application): boolean =>
  state === "deleting" && listed.length === 0 && ordinals.length === 0;

/** Returns the entry of an address that an application lists. */
export const listedAt = (
  { listed }: Pick<Application, "listed">,
  { family, value }: Address,
): ListedAddress | undefined =>
  listed.find(({ address }) => address.family === family && address.value === value);

/** Returns the application with other states of addresses that it lists; `null` unlists an address. */
export function restated(
  application: Application,
  states: ReadonlyMap<string, ListedState | null>,
  revision: string,
): Application {
  const listed = application.listed.flatMap((each): ListedAddress[] => {
    const state = states.get(formatAddress(each.address));
    if (state === null) return [];
    return [state === undefined ? each : { ...each, state }];
  });
  return { ...application, listed, revision };
}

/** Returns the same state for each of some addresses, for `restated`. */
export const each = <State extends ListedState | null>(
  addresses: readonly Pick<ListedAddress, "address">[],
  state: State,
): ReadonlyMap<string, State> =>
  new Map(addresses.map(({ address }) => [formatAddress(address), state]));

/** Returns the ordinals that are no replica's any more, but may still keep addresses. */
export const lostOrdinals = (application: Application): readonly Ordinals[] =>
  application.ordinals.flatMap((run) =>
    ordinalsOf(application).reduce((left, current) => left.flatMap(without(current)), [run]),
  );

/** Returns the ordinals of both, in runs that neither overlap nor touch. */
export function joinedOrdinals(
  a: readonly Ordinals[],
  b: readonly Ordinals[],
): readonly Ordinals[] {
  const runs: Ordinals[] = [];
  for (const run of [...a, ...b].toSorted((one, other) => one.first - other.first)) {
    const before = runs.at(-1);
    if (before && run.first <= before.end)
      runs[runs.length - 1] = { first: before.first, end: Math.max(before.end, run.end) };
    else runs.push(run);
  }
  return runs;
}

/** Returns the ordinals that are in both. */
export const sharedOrdinals = (
  a: readonly Ordinals[],
  b: readonly Ordinals[],
): readonly Ordinals[] => withoutOrdinals(a, withoutOrdinals(a, b));

/** Returns runs of ordinals without those of another run. */
export const withoutOrdinals = (
  runs: readonly Ordinals[],
  gone: readonly Ordinals[],
): readonly Ordinals[] => gone.reduce((left, run) => left.flatMap(without(run)), runs);

const without =
  (gone: Ordinals) =>
  ({ first, end }: Ordinals): Ordinals[] =>
    [
      { first, end: Math.min(end, gone.first) },
      { first: Math.max(first, gone.end), end },
    ].filter((run) => run.first < run.end);
