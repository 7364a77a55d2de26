import * as v from "valibot";
import { json, text } from "./field.ts";
import { poolList } from "./pool-names.ts";

/** The annotations of a namespace that have its default pools, by family (Spiderpool's docs/reference/annotation.md). */
const IPV4 = "ipam.spidernet.io/default-ipv4-ippool";
const IPV6 = "ipam.spidernet.io/default-ipv6-ippool";

/** A list of pools as JSON in a text. */
const poolsInText = v.pipe(
  text,
  v.metadata({
    description: "The default pools of the namespace for one family, as JSON in a text",
    examples: ['["default-ipv4"]'],
  }),
  json('must be JSON: an array of names of pools, such as ["default-ipv4"]'),
  poolList,
);

/** The annotations of a namespace. The result has a list of each family. */
export const defaultPoolsAnnotated = v.pipe(
  v.looseObject(
    { [IPV4]: v.optional(poolsInText, "[]"), [IPV6]: v.optional(poolsInText, "[]") },
    "must be an object of strings",
  ),
  v.transform((annotations) => ({
    ipv4DefaultPools: annotations[IPV4],
    ipv6DefaultPools: annotations[IPV6],
  })),
);
