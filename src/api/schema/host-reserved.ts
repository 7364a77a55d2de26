import * as v from "valibot";
import type { HostReserved, HostReservedAsked } from "../../kernel/values/host.ts";
import { newHandle, proseText, whole } from "./field.ts";
import { fields, rule } from "./schema.ts";

/** One less than the largest block has addresses. */
export const HOST_RESERVED_MAX = 4_095;
export const NOTE_CHARACTERS_MAX = 256;

const kept = {
  start: v.optional(whole(0, HOST_RESERVED_MAX), 0),
  end: v.optional(whole(0, HOST_RESERVED_MAX), 0),
  handle: v.optional(newHandle),
  note: v.optional(
    v.pipe(
      proseText,
      v.maxLength(NOTE_CHARACTERS_MAX, `must have at most ${NOTE_CHARACTERS_MAX} characters`),
    ),
  ),
};

const ofFamily = v.optional(v.pipe(fields(kept), v.transform(keptOf)));

/** Host-reserved addresses for both families, or for each; a host without any sends 0 and 0. */
export const hostReserved = v.pipe(
  fields({ ...kept, ipv4: ofFamily, ipv6: ofFamily }),
  rule(({ start, end, handle, note, ...ofFamilies }) => {
    const isForBoth = start + end > 0 || handle !== undefined || note !== undefined;
    // A family with zeros is there too, though nothing is kept of it.
    const families = Object.keys(ofFamilies);
    if (!isForBoth) return [];
    const problem = "excludes start, end, handle and note beside it; send them for each family";
    return families.map((field) => ({ field, problem }));
  }),
  v.transform(({ ipv4, ipv6, ...both }): HostReservedAsked | undefined =>
    ipv4 || ipv6 ? { ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) } : keptOf(both),
  ),
);

function keptOf({
  start,
  end,
  handle,
  note,
}: {
  readonly start: number;
  readonly end: number;
  readonly handle?: string | undefined;
  readonly note?: string | undefined;
}): HostReserved | undefined {
  if (start + end === 0) return undefined;
  return {
    start,
    end,
    ...(handle !== undefined && { handle }),
    ...(note !== undefined && { note }),
  };
}
