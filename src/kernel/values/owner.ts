type Attributes = Readonly<Record<string, string>>;

/**
 * The owners of an address, as its callers report them (Calico, for virtual machines that migrate). The active owner
 * has the address, and the alternate one is about to. An owner is a set of attributes; a side without one is empty.
 */
export interface Owners {
  readonly active?: Attributes;
  readonly alternate?: Attributes;
}

const SIDES = ["active", "alternate"] as const;
type Side = (typeof SIDES)[number];

/** Sets a side, or clears it; one that is not named stays. */
export type OwnerChange = { readonly [side in Side]?: Attributes | null };

/** The identity of an owner: its attributes `namespace` and `name`, or `pod` without a `name`, as in Calico. */
export interface OwnerName {
  readonly namespace: string;
  readonly name: string;
}

/** The expected owner of each named side; null expects none. */
export type ExpectedOwner = { readonly [side in Side]?: OwnerName | null };

/** A side that differs from the expected one; null means no owner. */
export interface OwnerMismatch {
  readonly side: Side;
  readonly expected: OwnerName | null;
  readonly actual: OwnerName | null;
}

export function changedOwners(owners: Owners, change: OwnerChange): Owners {
  const sideOf = (side: Side): Owners => {
    const next = change[side] === undefined ? owners[side] : change[side];
    return next ? { [side]: next } : {};
  };
  return { ...sideOf("active"), ...sideOf("alternate") };
}

export function mismatchesOf(owners: Owners, expected: ExpectedOwner): readonly OwnerMismatch[] {
  return SIDES.flatMap((side) => {
    const wanted = expected[side];
    const owner = owners[side];
    const actual = owner ? nameOf(owner) : null;
    const isRight =
      wanted === undefined ||
      (wanted?.namespace === actual?.namespace && wanted?.name === actual?.name);
    return isRight ? [] : [{ side, expected: wanted, actual }];
  });
}

/** Returns true if the active or the alternate owner has this name: `web-0`, or `shop/web-0` with its namespace. */
export const isOwnedBy = (owners: Owners, text: string): boolean =>
  SIDES.some((side) => {
    const owner = owners[side];
    if (!owner) return false;
    const { namespace, name } = nameOf(owner);
    return text === name || text === `${namespace}/${name}`;
  });

const nameOf = ({ namespace = "", name, pod = "" }: Attributes): OwnerName => ({
  namespace,
  name: name ?? pod,
});
