import { parseCidr } from "../../domain/cidr.ts";
import type { Assignment, AssignRequest } from "../assign/assignment.ts";
import type { NodePrefix } from "./node-prefix.ts";

/** The request of a node, without the families and the prefixes that it wants. */
export type PrefixRequest = Omit<AssignRequest, "wanted" | "prefixes">;

/** Returns the prefixes of an answer. */
export const prefixesIn = ({ addresses }: Assignment): readonly NodePrefix[] =>
  addresses.flatMap(({ block, pool, expiresAtMs }) => {
    const cidr = parseCidr(block);
    return cidr.ok
      ? [{ cidr: cidr.value, pool, ...(expiresAtMs !== undefined && { expiresAtMs }) }]
      : [];
  });
