import { same } from "../base/same.ts";
import { type Allocation, isHolding, type Part } from "../kernel/values/allocation.ts";
import { handleOfPrefixes, isOfNode } from "../kernel/values/handle.ts";
import { formatAddress } from "../net/address.ts";
import { addressAt, formatCidr } from "../net/cidr.ts";
import { ownerOf } from "../nouns/address/operations/read-address.ts";
import type { Detail, Draft } from "./draft.ts";

/** The fields of an assigned address that can change. The end of its lease is left out: it changes with each renewal. */
const FIELDS = ["state", "host", "workload", "attributes", "owner"] as const;

/**
 * Returns the addresses, or the prefixes, of which a change of an allocation changed another field than the addresses themselves, and those
 * whose lease it took off.
 */
export function ownerDrafts(
  before: Allocation | undefined,
  after: Allocation | undefined,
): readonly Draft[] {
  if (!before || !after || !isHolding(before) || !isHolding(after)) return [];
  const isNode = isOfNode(after.handle);
  const isUnleased = before.expiresAtMs !== undefined && after.expiresAtMs === undefined;
  // What a node has names no owner but the node.
  if (isNode && !isUnleased) return [];
  const { space, handleHash } = after.place;
  const isOfPrefixes = isNode || handleOfPrefixes(after.handle) !== undefined;
  return after.parts.flatMap((part) => {
    const was = before.parts.find(({ token }) => token === part.token);
    if (!was) return [];
    return part.ordinals.flatMap((ordinal): readonly Draft[] => {
      const of = addressAt(part.block, ordinal);
      const first = formatAddress(of);
      if (after.released.has(first)) return [];
      const address = isOfPrefixes ? formatCidr(part.block) : first;
      const { token } = part;
      const lease: readonly Draft[] = isUnleased
        ? [{ kind: "unleased", space, handleHash, token, address }]
        : [];
      const one = fieldsOf(before, was, ordinal);
      const other = fieldsOf(after, part, ordinal);
      const changed = FIELDS.filter((name) => !isNode && !same(one[name], other[name]));
      if (changed.length === 0) return lease;
      const detail = {
        address,
        family: of.family,
        handle: after.handle,
        before: onlyOf(one, changed),
        after: onlyOf(other, changed),
      };
      const { state: _, ...told } = detail.after;
      const takenOff = changed.filter((name) => !(name in other));
      const place = { space, handleHash, token };
      return [{ kind: "owner", ...place, detail, changed: told, takenOff }, ...lease];
    });
  });
}

const fieldsOf = (allocation: Allocation, part: Part, ordinal: number): Detail =>
  JSON.parse(
    JSON.stringify(ownerOf({ allocation, part }, addressAt(part.block, ordinal), undefined)),
  );

const onlyOf = (fields: Detail, names: readonly string[]): Detail =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
