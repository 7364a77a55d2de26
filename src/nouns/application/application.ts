import { assertFamily, assertTexts, assertWhole } from "../../base/assertions.ts";
import { handleHash } from "../../base/hash.ts";
import { APPLICATION_ADDRESSES_MAX } from "../../base/limits.ts";
import {
  type Address,
  type Family,
  formatAddress,
  type Parsed,
  parsed,
  unreadable,
} from "../../net/address.ts";
import { isKeptKind, type Workload, workloadHandle } from "./workload.ts";

/** The name of an application in its space: a controller of workloads, as Kubernetes names it. */
export interface ApplicationName {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** The addresses that an application wants, as its operator wrote them. */
export interface AddressesWanted {
  /** `5`, or `+2` for so many more than the replicas; for each interface and family. */
  readonly number: string;
  /** An interface without a name stands for the only one of an instance. */
  readonly interfaces: readonly { readonly name: string; readonly pools: readonly string[] }[];
  /** True if a deletion keeps the addresses, for an application of the same name that follows. */
  readonly keep: boolean;
}

/** The fields of an application that operators set. */
export interface ApplicationSpec {
  readonly replicas: number;
  /** The ordinal of the first replica of a StatefulSet (`spec.ordinals.start`). */
  readonly start: number;
  /** Absent: Plat holds no addresses for it. Never added or dropped. */
  readonly addresses?: AddressesWanted;
}

/** One interface and family in which an application wants its number of addresses, from these pools. */
export interface Target {
  readonly interface: string;
  readonly family: Family;
  /** The ids of the pools, in the order in which they are tried. */
  readonly poolIds: readonly string[];
}

export const LISTED_STATES = ["named", "in", "leaving"] as const;
export type ListedState = (typeof LISTED_STATES)[number];

/**
 * An address that an application lists. `named`: it is about to be held. `in`: it is held, or one of the application's
 * instances has it. `leaving`: it goes when no instance has it.
 */
export interface ListedAddress {
  readonly address: Address;
  readonly interface: string;
  readonly poolId: string;
  /** The prefix length of the blocks of its pool, so that its block is found without the configuration. */
  readonly blockSize: number;
  readonly state: ListedState;
}

/** A run of ordinals of a StatefulSet: those from `first` on, before `end`. */
export interface Ordinals {
  readonly first: number;
  readonly end: number;
}

export const APPLICATION_STATES = ["active", "retained", "deleting"] as const;

/**
 * A controller of workloads whose instances get the addresses that Plat holds for it. It lists a superset of what is held for it
 * or taken from it: an address is listed before it is held, and unlisted after it is let go (I15).
 *
 * `active`: it has its number. `retained`: an operator deleted it, and it keeps its addresses without replicas. `deleting`: all
 * its addresses go.
 */
export interface Application extends ApplicationName, ApplicationSpec {
  readonly space: string;
  readonly state: (typeof APPLICATION_STATES)[number];
  /** As the last change of the application resolved its pools. */
  readonly targets: readonly Target[];
  readonly listed: readonly ListedAddress[];
  /**
   * The ordinals whose instances may keep addresses: a superset. It shrinks only after the allocation of an ordinal was ended
   * or seen absent.
   */
  readonly ordinals: readonly Ordinals[];
  readonly revision: string;
}

/** Returns the name as one text, in the order of lists. No part has a `/`. */
export const nameOfApplication = ({ namespace, kind, name }: ApplicationName): string =>
  `${namespace}/${kind}/${name}`;

/** Returns the name that a text of `nameOfApplication` says. */
export function applicationNamed(text: string): ApplicationName {
  const [namespace = "", kind = "", name = ""] = text.split("/");
  return { namespace, kind, name };
}

/** Returns the 8-byte hash of an application as 16 hex digits, for the tags of held slots. */
export const applicationHash = (of: ApplicationName): string =>
  handleHash(`application/${nameOfApplication(of)}`);

/** Reads `5` or `+2`: the number of addresses of each interface and family, fixed or beyond the replicas. */
export function parseNumber(text: string): Parsed<string> {
  const [, digits] = /^\+?(0|[1-9]\d{0,3})$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) > APPLICATION_ADDRESSES_MAX)
    return unreadable(
      `must be a number such as "5", or one beyond the replicas such as "+2", of at most ${APPLICATION_ADDRESSES_MAX}`,
    );
  return text === "0" ? unreadable('must be at least "1", or "+0"') : parsed(text);
}

/** Returns how many addresses an application wants in each of its interfaces and families. */
export function wantedEach({ state, replicas, addresses }: Application): number {
  if (!addresses || state === "deleting") return 0;
  return numberOfEach({ replicas, addresses });
}

/** Returns what a number such as `5` or `+2` comes to in each interface and family. */
export const numberOfEach = ({
  replicas,
  addresses: { number },
}: {
  readonly replicas: number;
  readonly addresses: Pick<AddressesWanted, "number">;
}): number => (number.startsWith("+") ? replicas + Number(number) : Number(number));

/**
 * Returns the ordinals of the instances that may keep addresses: those of the replicas of a StatefulSet. A virtual machine is the only
 * instance of itself, and keeps its addresses while it is registered, whether it runs or not. Other kinds keep nothing.
 */
export function ordinalsOf({
  kind,
  start,
  replicas,
  state,
}: Pick<Application, "kind" | "start" | "replicas" | "state">): readonly Ordinals[] {
  if (!isKeptKind({ kind })) return [];
  const [first, count] = kind === "StatefulSet" ? [start, replicas] : [0, 1];
  return state === "active" && count > 0 ? [{ first, end: first + count }] : [];
}

/** Checks that an application has its revision, and lists each address once. @throws {Error} */
export function assertApplication(application: Application): void {
  const { space, namespace, kind, name, revision, replicas, start } = application;
  assertTexts({ space, namespace, kind, name, revision });
  // So no name can be taken for another's in a key, a list or a hash.
  if ([namespace, kind, name].some((part) => part.includes("/")))
    throw new Error("a part of its name has a slash");
  assertWhole({ replicas, start });
  for (const { family, poolIds } of application.targets) {
    assertFamily(family);
    for (const poolId of poolIds) assertTexts({ poolId });
  }
  for (const { first, end } of application.ordinals) {
    assertWhole({ ordinal: first });
    assertWhole({ "end of its ordinals": end }, first + 1);
  }
  const seen = new Set<string>();
  for (const { address, poolId, blockSize } of application.listed) {
    assertTexts({ poolId });
    assertWhole({ blockSize });
    const text = formatAddress(address);
    if (seen.has(text)) throw new Error(`it lists ${text} twice`);
    seen.add(text);
  }
}

/** An instance, whichever incarnation of it. */
type Instance = Omit<Workload, "uid">;

/**
 * Returns true if an instance may keep its addresses. That of a registered StatefulSet may not if its ordinal has no replica
 * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#ordinal-index), and none may after a deletion.
 *
 * @param application that of the instance, if it is registered
 */
export function mayKeep(application: Application | undefined, instance: Instance): boolean {
  const ordinal = ordinalOfInstance(instance);
  if (!application || ordinal === undefined) return true;
  return ordinalsOf(application).some(({ first, end }) => first <= ordinal && ordinal < end);
}

/** Returns the handle of the instance with an ordinal. */
export const handleAt = ({ namespace, kind, name }: Application, ordinal: number): string =>
  workloadHandle({
    namespace,
    kind,
    name,
    instance: kind === "StatefulSet" ? `${name}-${ordinal}` : name,
  });

/**
 * Returns the ordinal of an instance: 3 for `db-3` of the StatefulSet `db`, and for `db-3.net1`, another interface of that pod; 0 for a
 * virtual machine; nothing if it has none.
 */
function ordinalOfInstance({ kind, name, instance }: Instance): number | undefined {
  if (kind !== "StatefulSet") return instance === name ? 0 : undefined;
  if (!instance.startsWith(`${name}-`)) return undefined;
  const [, digits] = /^(0|[1-9]\d*)(?:\..+)?$/.exec(instance.slice(name.length + 1)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
