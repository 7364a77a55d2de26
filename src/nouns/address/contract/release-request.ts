import * as v from "valibot";
import {
  affinityType,
  flag,
  handleText,
  hostText,
  namespaceName,
  text,
} from "../../../api/schema/field.ts";
import { handleProblems, workload, workloadProblems } from "../../../api/schema/handle.ts";
import { fields, list, rule } from "../../../api/schema/schema.ts";
import { RELEASES_PER_REQUEST_MAX } from "../../../base/limits.ts";

export const entrySchema = fields({
  address: text,
  handle: v.optional(text),
  generation: v.optional(text),
});

/** Single addresses to release. */
export const releasedAddresses = list(
  entrySchema,
  { min: 1, max: RELEASES_PER_REQUEST_MAX },
  {
    type: "must be an array of objects with address, handle and generation",
    min: "must have an entry",
    max: `must have at most ${RELEASES_PER_REQUEST_MAX} entries; send several requests`,
  },
);

export const releaseBody = v.pipe(
  fields({
    handle: v.optional(handleText),
    host: v.optional(hostText),
    affinityType: v.optional(affinityType),
    addresses: v.optional(releasedAddresses),
    namespace: v.optional(namespaceName),
    workload: v.optional(workload),
    keep: v.optional(flag, false),
  }),
  rule((input) => [...handleProblems(input.handle), ...workloadProblems(input)]),
  rule(({ namespace, workload, keep, addresses }) => [
    ...(namespace !== undefined && !workload
      ? [{ field: "namespace", value: namespace, problem: "needs a workload" }]
      : []),
    ...(keep && !workload && !addresses
      ? [{ field: "keep", value: keep, problem: "needs addresses or a workload" }]
      : []),
  ]),
);
