import { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import type { CiliumMode } from "../object.ts";
import type { CiliumReport } from "../report.ts";
import { MODES } from "./modes.ts";

/**
 * Releases all that a CiliumNode has, and then deletes its report, as it was seen.
 *
 * @param report a report that says that it is ending
 * @returns what this call released, as text; and whether nothing is left of it. The report is then gone, or changed since it was read
 */
export async function endCiliumReport(
  context: Context,
  report: CiliumReport,
): Promise<{ readonly released: readonly string[]; readonly complete: boolean }> {
  const released: string[] = [];
  let complete = true;
  // Two first requests at once may have had different modes, and the report names that of the later one.
  for (const mode of new Set([report.mode, ...OWN_MODES])) {
    const ended = await MODES[mode].release(context, report);
    released.push(...ended.released);
    complete &&= ended.complete;
  }
  if (complete) await knownOutcome(context.store.deleteCiliumReport("delete-cilium", report));
  return { released, complete };
}

/** The modes in which a node has things by its CiliumNode alone. Nothing else may be released for another mode. */
const OWN_MODES: readonly CiliumMode[] = ["crd", "multi-pool"];

/** Returns the rejection of a request that meets a release which is not complete. */
export const isStillReleasing = ({ name }: CiliumReport): Rejection =>
  new Rejection(
    "request_in_progress",
    `What node ${name} has is being released. Send the request again.`,
    { node: name },
  );
