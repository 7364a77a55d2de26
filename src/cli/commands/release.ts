import { Command, Option } from "commander";
import type { PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { affinityTypeOption, several, texts } from "../invocation/options.ts";
import {
  type NamedInstance,
  type WorkloadOptions,
  withWorkload,
  workloadFields,
} from "../invocation/workload.ts";
import { counted } from "../output/count.ts";
import { progressing, tellingResult } from "../output/progress.ts";
import { rejectionError, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { byAddress, namesOfHandle } from "../space/handles.ts";
import { rejectUnread } from "../space/lists.ts";
import {
  type AllReleased,
  type ReleaseEntry,
  releaseAddresses,
  releaseHandle,
  releaseHost,
  releaseInstance,
} from "../space/releases.ts";
import {
  instancePreview,
  leftAlone,
  previewOf,
  RELEASE_COLUMNS,
  type ReleaseTarget,
  type Row,
  type SeenAddress,
} from "./release-preview.ts";
import { releaseFromReports } from "./release-report.ts";

export const releaseCommand = (io: Io): Command =>
  withConfirmation(
    withWorkload(printing(new Command("release"))),
    "Show what would be released, and release nothing",
  )
    .description("Release addresses by address, by handle or by host")
    .addHelpText(
      "after",
      examples(
        ["Release all addresses of a handle", "plat release --handle web-0"],
        ["Release one address", "plat release --ip 10.0.0.20"],
        [
          "Release an address only if a handle has it",
          "plat release --ip 10.0.0.20 --handle web-0",
        ],
        ["Release all addresses of a host", "plat release --host node-1"],
        [
          "Keep the addresses of a pod of a StatefulSet for its next uid",
          "plat release --namespace shop --workload StatefulSet/db/db-0 --uid 7f9c --keep",
        ],
        ["Release the leaks that a check confirmed", "plat release --from-report report.json"],
      ),
    )
    .addOption(
      new Option("--ip <ip>", "Address to release; with commas or repeatable")
        .argParser(texts)
        .conflicts(["host", "affinityType"]),
    )
    .option("--generation <generation>", "Release the address only if it is still this assignment")
    .option(
      "--handle <handle>",
      "Release all addresses of this handle; with --ip only if this handle has the address",
    )
    .addOption(
      new Option("--host <host>", "Release all addresses of this host").conflicts([
        "handle",
        "generation",
      ]),
    )
    .addOption(affinityTypeOption())
    .option("--namespace <namespace>", "Namespace of --workload")
    .option(
      "--keep",
      "Keep the addresses of an instance for its next uid, if its kind keeps them; with --workload, or with --ip and --generation",
    )
    .addOption(
      new Option(
        "--from-report <file>",
        "Release the leaks that a report of `plat check` confirms; repeatable",
      )
        .argParser(several)
        .conflicts(["ip", "generation", "handle", "host", "affinityType"]),
    )
    .action(action(io, release));

interface ReleaseOptions extends ReleaseTarget, ConfirmOptions, WorkloadOptions {
  readonly fromReport?: readonly string[];
}

/** Releases in the way that the options select; each way has its own function. */
async function release(session: Session, options: ReleaseOptions): Promise<void> {
  const { ip, generation, handle, host, affinityType, fromReport } = options;
  const instance = workloadFields(options);
  if (instance) return byInstance(session, options, instance);
  if (options.namespace !== undefined) throw usageError("--namespace needs --workload.");
  if (options.keep && generation === undefined)
    throw usageError("--keep needs --workload, or --ip and --generation.");
  if (fromReport) return releaseFromReports(session, fromReport, options);
  if (affinityType !== undefined && host === undefined)
    throw usageError("--affinity-type needs --host.");
  if (generation !== undefined && ip?.length !== 1)
    throw usageError("--generation names one assignment, so it needs exactly one --ip.");
  if ((ip ?? handle ?? host) === undefined)
    throw usageError("plat release needs --ip, --handle, --host, --workload or --from-report.");
  if (options.dryRun) return preview(session, options);
  if (host !== undefined) {
    await confirmation(
      session,
      options,
    )(async () => {
      const { rows } = await previewOf(session.client, options);
      const released = rows.filter(({ status }) => status === "would_release").length;
      return `Release ${counted(released, "address", "addresses")} of host ${host}?`;
    });
    return byHost(session, { host, affinityType });
  }
  if (ip && (generation ?? handle) !== undefined)
    return byProof(
      session,
      ip.map((address) => ({ address, handle, generation })),
      options.keep,
    );
  if (ip) return asSeen(session, ip);
  if (handle !== undefined) {
    await confirmHandle(session, options, handle);
    return byHandle(session, handle);
  }
}

/** Releases or keeps what an instance of a workload has under its uid. */
async function byInstance(
  session: Session,
  options: ReleaseOptions,
  named: NamedInstance,
): Promise<void> {
  const { ip, generation, handle, host, fromReport, dryRun, keep, uid } = options;
  if ((ip ?? generation ?? handle ?? host ?? fromReport) !== undefined)
    throw usageError("--workload is used alone, with --namespace, --uid, --keep and --dry-run.");
  const done = dryRun
    ? await instancePreview(session.client, named, keep)
    : await instanceReleased(session.client, { ...named, keep });
  report(session, done.rows);
  if (done.rows.length === 0) nothingOf(session, "uid", `${uid}`, ` of ${done.handle}`);
}

async function instanceReleased(client: PlatClient, named: object) {
  const { handle, released, kept } = await releaseInstance(client, named);
  const rows = [...rowsOf(released, "released"), ...rowsOf(kept, "kept")];
  return { handle, rows: rows.map((row) => ({ ...row, handle })) };
}

/** Prints the addresses that the same line without --dry-run would release, and exits with the same code. */
async function preview(session: Session, named: ReleaseTarget): Promise<void> {
  const { handle, host } = named;
  const { rows, unreadable } = await previewOf(session.client, named);
  report(session, rows);
  rejectUnread(unreadable);
  if (rows.length === 0)
    nothingOf(session, host === undefined ? "handle" : "host", `${host ?? handle}`);
  rejectConflicts(rows);
}

/**
 * Asks before it releases more than one address of a handle at a terminal. Workloads release by handle, mostly in
 * scripts. Scripts get no question and need no --yes.
 */
async function confirmHandle(
  session: Session,
  options: ReleaseOptions,
  handle: string,
): Promise<void> {
  if (options.yes || !session.io.ask) return;
  const { length } = await namesOfHandle(session.client, handle);
  if (length > 1)
    await confirmation(session, options)(`Release ${length} addresses of handle ${handle}?`);
}

/** The columns for a release by host, without handles. */
const OF_HOST = RELEASE_COLUMNS.filter(({ header }) => header !== "HANDLE");

/** Releases addresses only if the handle, or the generation, matches. */
async function byProof(
  session: Session,
  entries: readonly ReleaseEntry[],
  keep = false,
): Promise<void> {
  const rows: Row[] = [];
  await tellingResult(
    session.io,
    rows,
    () => report(session, rows),
    async (untilInterrupted) => {
      const released = releaseAddresses(session.client, entries, keep);
      for await (const results of untilInterrupted(released)) rows.push(...results);
    },
  );
  rejectConflicts(rows);
}

/**
 * Releases addresses that only their texts name. It reads each one, and then releases exactly the assignment that it
 * saw, by its generation. So an address that was assigned again in between stays assigned, and the output names the
 * owner. It needs no `allowBareRelease` and does not use it, because that would release any assignment.
 */
async function asSeen(session: Session, ips: readonly string[]): Promise<void> {
  const { client } = session;
  // Reads all before it releases the first one, so that a mistake in one of them ends the command before any change.
  const seen: SeenAddress[] = [];
  for (const ip of ips) seen.push((await client.readAddress({ ip })).body);
  const owners = new Map(seen.map(({ address, handle }) => [address, handle]));
  const left = seen.map((one) => leftAlone(one, client.space));
  const rows: Row[] = left.flatMap((row) => row ?? []);
  const entries = seen
    .filter((_, at) => left[at] === undefined)
    .map(({ address, generation }) => ({ address, generation }));
  await tellingResult(
    session.io,
    rows,
    () => report(session, rows),
    async (untilInterrupted) => {
      for await (const results of untilInterrupted(releaseAddresses(client, entries)))
        rows.push(...results.map((result) => ({ ...result, handle: owners.get(result.address) })));
    },
  );
  rejectConflicts(rows);
}

async function byHandle(session: Session, handle: string): Promise<void> {
  const { client } = session;
  const released = await ofAll(session, handle, releaseHandle(client, handle), (rows) =>
    report(
      session,
      rows.map((row) => ({ ...row, handle })),
    ),
  );
  if (released === 0) nothingOf(session, "handle", handle);
}

/**
 * Notes that nothing was released. A handle exists as long as it has addresses, so a second release of it answers as a second release
 * of an address does: nothing is left to do.
 */
const nothingOf = ({ io, client }: Session, what: string, name: string, of = ""): void =>
  io.err(
    `Note: ${what} ${JSON.stringify(name)}${of} has no addresses in space "${client.space}".\n`,
  );

async function byHost(
  session: Session,
  {
    host,
    affinityType,
  }: { readonly host: string; readonly affinityType: AffinityType | undefined },
): Promise<void> {
  const { client } = session;
  const requests = releaseHost(client, { host, affinityType });
  const released = await ofAll(session, host, requests, (rows) => report(session, rows, OF_HOST));
  if (released === 0) nothingOf(session, "host", host);
}

/** Prints the released addresses of each request, and the unreadable items. Returns the number of addresses. */
async function ofAll(
  { io }: Session,
  name: string,
  requests: AsyncIterable<AllReleased>,
  tell: (rows: readonly Row[]) => void,
): Promise<number> {
  const answers: AllReleased[] = [];
  const released = () => answers.flatMap((answer) => answer.released);
  await tellingResult(
    io,
    answers,
    () => tell([...rowsOf(released(), "released"), ...rowsOf(keptIn(answers), "kept")]),
    (untilInterrupted) =>
      progressing(io, `addresses of ${name}`, async (shown) => {
        for await (const answer of untilInterrupted(requests)) {
          answers.push(answer);
          shown.update(`${counted(released().length, "address", "addresses")} of ${name} released`);
        }
      }),
  );
  // An earlier answer may name items that could be read later.
  const items = (answers.at(-1)?.unreadable ?? []).map(({ item }) => item);
  if (items.length > 0)
    throw rejectionError(
      "unreadable",
      `${name} keeps its addresses in ${items.join(", ")}, which cannot be read.`,
      "An operator must look at it: see `plat check`.",
    );
  return released().length;
}

const rowsOf = (addresses: readonly string[], status: "released" | "kept"): readonly Row[] =>
  addresses.map((address) => ({ address, status })).toSorted(byAddress);

/** Returns the addresses that instances keep, each once: every request of a release by host names them. */
const keptIn = (answers: readonly AllReleased[]): readonly string[] => [
  ...new Set(answers.flatMap((answer) => ("kept" in answer ? answer.kept : []))),
];

const report = ({ print }: Session, rows: readonly Row[], columns = RELEASE_COLUMNS): void =>
  print({ columns, rows, document: { results: rows } });

/** Fails on addresses of another owner; an address that is already free is no error. */
function rejectConflicts(rows: readonly Row[]): void {
  const conflicts = rows.filter(({ status }) => status === "conflict");
  const [first] = conflicts;
  if (!first) return;
  const { address, code, detail } = first;
  const others = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  throw rejectionError(
    code ?? "conflict",
    `${address} is not released${others}. ${detail ?? ""}`.trimEnd(),
  );
}
