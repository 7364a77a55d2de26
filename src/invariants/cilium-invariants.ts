import { handleHash } from "../base/hash.ts";
import { ciliumHandle, ciliumPoolHandle } from "../kernel/values/handle.ts";
import { formatAddress } from "../net/address.ts";
import { addressAt, formatCidr } from "../net/cidr.ts";
import type { CiliumEntry, CiliumReport } from "../nouns/cilium/report.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/**
 * Finds addresses and prefixes that a CiliumNode's report says its uid has, and that another has or nobody (I20). What was released
 * or given back counts no more, nor does anything of a node that is being ended.
 */
export function ciliumViolations({ blocks, ciliumReports, tombstones }: Contents): Violation[] {
  const ended = new Set(
    tombstones
      .filter(({ state }) => state !== "quarantined")
      .map(({ space, name, uid }) => JSON.stringify([space, name, uid])),
  );
  const isAlive = ({ space, name, uid, isEnding }: CiliumReport) =>
    !isEnding && !ended.has(JSON.stringify([space, name, uid]));
  const claims = ciliumReports.filter(isAlive).flatMap((report) =>
    report.entries.filter(isKept).map(({ text, pool }) => {
      const { name, uid } = report;
      const handle =
        pool === undefined ? ciliumHandle(name, uid) : ciliumPoolHandle(name, uid, pool);
      return { space: report.space, text, handle, hash: handleHash(handle) };
    }),
  );
  if (claims.length === 0) return [];
  const hashes = new Set(claims.map(({ hash }) => hash));
  const had = new Set<string>();
  for (const { space, cidr, whole, slots } of blocks)
    for (const [ordinal, slot] of slots) {
      if (slot.kind !== "taken" || !hashes.has(slot.handleHash)) continue;
      const text = whole ? formatCidr(cidr) : formatAddress(addressAt(cidr, ordinal));
      had.add(JSON.stringify([space, text, slot.handleHash]));
    }
  return claims
    .filter(({ space, text, hash }) => !had.has(JSON.stringify([space, text, hash])))
    .map(({ space, text, handle }) =>
      violation("I20", `${handle} of ${space} was granted ${text}, and has it not`),
    );
}

const KEPT: ReadonlySet<CiliumEntry["state"]> = new Set(["listed", "withdrawn", "marked"]);

const isKept = ({ state, isHeld }: CiliumEntry): boolean => isHeld && KEPT.has(state);
