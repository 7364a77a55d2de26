import type { PlatClient } from "../../client/index.ts";
import type { LeakCandidate } from "../check/candidates.ts";
import { stillAsSeen } from "../check/find-leaks.ts";
import { readReport } from "../check/report.ts";
import type { Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation } from "../invocation/confirm.ts";
import { counted } from "../output/count.ts";
import { tellingResult } from "../output/progress.ts";
import { readInputs } from "../shell/input.ts";
import { type FinishedRelease, releaseAddresses } from "../space/releases.ts";
import { RELEASE_COLUMNS } from "./release-preview.ts";

/** The result for a candidate, real or previewed. */
type Row = Omit<CandidateResult, "status"> & {
  readonly status: CandidateResult["status"] | "would_release";
};

/**
 * Releases the candidates that reports have confirmed, as the reports saw them. An address that has changed since then
 * stays: released, assigned again, or with another owner. A repeat changes nothing.
 */
export async function releaseFromReports(
  session: Session,
  files: readonly string[],
  options: ConfirmOptions,
): Promise<void> {
  const { io, client, print } = session;
  const confirm = confirmation(session, options);
  const reports = (await readInputs(io, files)).map(({ name, text }) =>
    readReport(name, text, client.space),
  );
  const confirmed = new Map(
    reports.flatMap((report) => report.confirmed).map((one) => [one.generation, one]),
  );
  for (const { file, confirmed } of reports)
    if (confirmed.length === 0)
      io.err(`Warning: ${file} has no confirmed candidate, so nothing is released.\n`);
  const candidates = [...confirmed.values()];
  const current = await stillAsSeen(client, candidates);
  const rows: Row[] = [...skipped(candidates, current)];
  const show = () => print({ columns: RELEASE_COLUMNS, rows, document: { results: rows } });
  if (options.dryRun) {
    rows.push(
      ...current.map(({ address, handle }) => ({
        address,
        handle,
        status: "would_release" as const,
      })),
    );
    return show();
  }
  if (current.length > 0)
    await confirm(`Release ${counted(current.length, "leaked address", "leaked addresses")}?`);
  await tellingResult(io, rows, show, async (untilInterrupted) => {
    const released = releaseCandidates(client, current);
    for await (const outcomes of untilInterrupted(released)) rows.push(...outcomes);
  });
}

function skipped(
  candidates: readonly LeakCandidate[],
  current: readonly LeakCandidate[],
): CandidateResult[] {
  const kept = new Set(current);
  return candidates
    .filter((one) => !kept.has(one))
    .map(({ address, handle }) => ({
      address,
      handle,
      status: "skipped",
      detail:
        "It has changed since the report: it was released, assigned again, or has another owner.",
    }));
}

/** The result for a candidate. `skipped` means that the owner or the assignment has changed, and nothing was done. */
export interface CandidateResult {
  readonly address: string;
  readonly handle: string;
  readonly status: Exclude<FinishedRelease["status"], "conflict"> | "skipped";
  readonly detail?: string;
}

/**
 * Releases each candidate under its generation, so that only this assignment can be released. It yields the results of
 * each request.
 */
export async function* releaseCandidates(
  client: PlatClient,
  candidates: readonly LeakCandidate[],
): AsyncGenerator<readonly CandidateResult[]> {
  const entries = candidates.map(({ address, generation }) => ({ address, generation }));
  const handles = new Map(candidates.map(({ address, handle }) => [address, handle]));
  for await (const results of releaseAddresses(client, entries))
    yield results.map(({ address, status, detail }) => ({
      address,
      handle: handles.get(address) ?? "",
      status: status === "conflict" ? "skipped" : status,
      ...(detail !== undefined && { detail }),
    }));
}
