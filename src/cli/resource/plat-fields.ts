import type * as v from "valibot";
import type { poolRead } from "../../contract/answers/answers.ts";

type Pool = v.InferOutput<typeof poolRead>;

/** The fields of a pool that Calico's IPPool does not have. An import and an apply of IPPools leave them as they are. */
export const PLAT_FIELDS = [
  "borrowing",
  "cooldownSeconds",
  "dns",
  "domain",
  "excludes",
  "gateway",
  "kind",
  "labels",
  "mtu",
  "namespaceNames",
  "networks",
  "nodeNames",
  "parent",
  "podSelector",
  "prefixLength",
  "principals",
  "ranges",
  "routes",
  "vlan",
] as const satisfies readonly (keyof Pool)[];

/** Returns the fields of a pool that an IPPool loses. `borrowing: allowed` and `kind: pods` are what Calico does. */
export const lostFields = (pool: Pool): readonly string[] =>
  PLAT_FIELDS.filter(
    (field) =>
      pool[field] !== undefined &&
      !(field === "borrowing" && pool.borrowing === "allowed") &&
      !(field === "kind" && pool.kind === "pods"),
  );
