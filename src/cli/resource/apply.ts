import { Command } from "commander";
import { cut } from "../../api/schema/schema.ts";
import { NotSent, type PlatClient } from "../../client/index.ts";
import { type AddressSet, formatSet, sharedBy } from "../../net/address-set.ts";
import { type Cidr, intervalOf, overlaps, parseCidr, sameCidr } from "../../net/cidr.ts";
import {
  action,
  type DryRunOption,
  dryRunMark,
  type Session,
  withDryRun,
} from "../invocation/cli.ts";
import { type Duration, several } from "../invocation/options.ts";
import { checkDone, checkTimeout, follow, type WaitOptions } from "../invocation/wait-for-job.ts";
import { progressing } from "../output/progress.ts";
import { CommandError, EXIT, errorText, usageError } from "../shell/exit.ts";
import { commandErrorOf } from "../shell/failed-call.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { atOnce } from "../space/at-once.ts";
import { rangedSetOf } from "../space/configuration.ts";
import { dryRun, make, type ObjectChange, warn } from "./change.ts";
import { readWanted, type WantedObject, type WantedSet } from "./documents.ts";
import { POOL_RESOURCE, type ResourceKind, titled } from "./kind.ts";
import { listAll } from "./list.ts";

const AT_ONCE = 8;

interface Options extends WaitOptions, DryRunOption {
  readonly filename: readonly string[];
}

/**
 * Makes `apply -f FILE`, as in kubectl. Each manifest goes to the resource of its kind. A document without a kind goes
 * to the kind of the command.
 */
export const applyCommand = (io: Io, plain: ResourceKind): Command =>
  withDryRun(
    new Command("apply")
      .description(`Create and change ${plain.plural} from files`)
      .requiredOption(
        "-f, --filename <file>",
        "Manifests in YAML or JSON; - reads stdin; repeatable",
        several,
      ),
    "Say what would change, and change nothing",
  )
    .addHelpText(
      "after",
      examples(
        [
          "Create and change what a file describes",
          `plat ${plain.noun} apply -f ${plain.plural}.yaml`,
        ],
        [
          "Say what would change",
          `kubectl get ${plain.title}s -o json | plat ${plain.noun} apply -f - --dry-run`,
        ],
      ),
    )
    .action(action(io, apply(plain)));

const apply =
  (plain: ResourceKind) =>
  async (session: Session, options: Options): Promise<void> => {
    const { filename, dryRun } = options;
    const { io } = session;
    checkTimeout(options);
    const { wanted, sets, ignored } = await readWanted(io, filename, plain);
    for (const title of ignored) io.err(`Note: ignored ${title}\n`);
    if (wanted.length + sets.length === 0)
      throw usageError(
        `${filename.join(" and ")} ${filename.length > 1 ? "have" : "has"} no objects of a kind that Plat takes.`,
      );
    const surplus = await surplusOf(session.client, sets, wanted);
    const changes = await dryRunAll(session, [...wanted, ...surplus]);
    if (dryRun) return say(io, changes, dryRunMark(options));
    const jobs = await makeAll(session, changes);
    if (options.wait) await waitForAll(session, jobs, options.timeout);
  };

/**
 * Makes dry runs of everything before the first write. If a dry run fails, it reports all failures and writes nothing.
 */
async function dryRunAll({ io, client }: Session, wanted: readonly WantedObject[]) {
  const changes: ObjectChange[] = [];
  const failures: CommandError[] = [];
  const work = (one: WantedObject) => attempt(one, () => dryRun(client, one));
  await progressing(io, "Looks", async (shown) => {
    for await (const { done, failed } of inSlices(wanted, work)) {
      changes.push(...done);
      failures.push(...failed);
      shown.update(`Looked at ${changes.length + failures.length} of ${wanted.length}`);
    }
  });
  if (failures.length > 0)
    throw allOf(io, failures, changes.length + failures.length, "Nothing was written.");
  checkApart(changes);
  return changes;
}

/** Applies all changes, and returns the jobs that go on after them; an error does not stop the others. */
async function makeAll(
  { io, client }: Session,
  changes: readonly ObjectChange[],
): Promise<readonly string[]> {
  const failures: CommandError[] = [];
  const jobs: string[] = [];
  let left = changes.length;
  const work = (one: ObjectChange) => attempt(one.wanted, () => make(client, one));
  for await (const { done, failed } of inSlices(changes, work)) {
    say(io, done);
    for (const { job, wanted } of done) {
      if (job === undefined) continue;
      jobs.push(job);
      const title = titled(wanted.kind, wanted.name);
      const act = wanted.body
        ? `frees the addresses that ${title} no longer has for other pools`
        : `deletes ${title}`;
      io.err(`Note: job ${job} ${act}.\n`);
    }
    failures.push(...failed);
    left -= done.length + failed.length;
  }
  if (failures.length > 0)
    throw allOf(
      io,
      failures,
      changes.length,
      ...(left > 0 ? [`${left} more were not tried.`] : []),
    );
  return jobs;
}

/** Waits for jobs one after the other. The timeout is for all of them together. */
async function waitForAll(
  session: Session,
  jobs: readonly string[],
  timeout: Duration | undefined,
): Promise<void> {
  const untilMs = session.io.nowMs() + (timeout?.ms ?? 0);
  for (const id of jobs) {
    const left = timeout && { ...timeout, ms: untilMs - session.io.nowMs() };
    const { body } = await session.client.readJob({ id });
    const job = await follow(session, body, left);
    checkDone(job);
    session.io.out(`job ${id} ${job.state}\n`);
  }
}

interface Slice {
  readonly done: readonly ObjectChange[];
  readonly failed: readonly CommandError[];
}

/** Works on items in order, some in parallel. It starts no item after one that got no answer. */
async function* inSlices<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<ObjectChange | CommandError>,
): AsyncGenerator<Slice> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const results = await atOnce(items.slice(at, at + AT_ONCE), AT_ONCE, work);
    const done = results.filter(
      (result): result is ObjectChange => !(result instanceof CommandError),
    );
    const failed = results.filter((result) => result instanceof CommandError);
    yield { done, failed };
    if (failed.some(({ exit }) => exit === EXIT.unreachable)) return;
  }
}

async function attempt(
  { kind, name }: WantedObject,
  work: () => Promise<ObjectChange>,
): Promise<ObjectChange | CommandError> {
  try {
    return await work();
  } catch (error) {
    const failed = commandErrorOf(error);
    if (!failed) throw error;
    // The failure concerns all items alike, so it is reported once.
    if (error instanceof NotSent) return failed;
    return new CommandError(failed.exit, `${titled(kind, name)}: ${failed.message}`);
  }
}

const say = (io: Io, changes: readonly ObjectChange[], more = "") => {
  for (const { wanted, outcome, changed, left, warnings } of changes) {
    const title = titled(wanted.kind, wanted.name);
    io.out(`${title} ${outcome}${more}\n`);
    for (const { field, before, after } of changed)
      io.err(`Note: ${title} changes ${field}: ${told(before)} -> ${told(after)}\n`);
    for (const { field, value } of left) io.err(`Note: ${title} leaves ${field}: ${told(value)}\n`);
    warn(io, warnings);
  }
};

/** Returns a value in one line, cut. */
function told(value: unknown): string {
  if (value === undefined) return "none";
  return cut((typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/g, " "));
}

/** Prints each item's problem. The error summarizes them, and has the exit code of the worst one. */
function allOf(
  io: Io,
  failures: readonly CommandError[],
  tried: number,
  ...more: readonly string[]
): CommandError {
  const texts = new Set(failures.map(errorText));
  for (const text of texts) io.err(text);
  const exit = Math.max(...failures.map((failure) => failure.exit));
  return new CommandError(exit, [`${failures.length} of ${tried} failed.`, ...more].join(" "));
}

/** A pool that the files describe, and that does not exist yet. */
interface NewPool {
  readonly name: string;
  readonly text: string;
  readonly cidr: Cidr;
  /** The addresses of a pool with ranges. */
  readonly set: AddressSet | undefined;
  /** True for a pool that has what the other pools of its CIDR leave. */
  readonly isOuter: boolean;
}

/** Finds new pools that overlap each other, because the API checks each pool alone. A pool lies in its parent by right. */
function checkApart(changes: readonly ObjectChange[]): void {
  const pools = changes
    .filter(({ wanted, outcome }) => wanted.kind === POOL_RESOURCE && outcome === "created")
    .filter(({ body }) => body.parent === undefined)
    .flatMap(newPoolOf);
  for (const [at, one] of pools.entries())
    for (const other of pools.slice(0, at)) {
      const problem = whyNotApart(other, one);
      if (problem !== undefined) throw usageError(problem);
    }
}

function newPoolOf({ wanted: { name }, body }: ObjectChange): readonly NewPool[] {
  const text = String(body.cidr);
  const cidr = parseCidr(text);
  if (!cidr.ok) return [];
  const isOuter = body.assignmentMode === "Applications";
  return [{ name, text, cidr: cidr.value, set: rangedSetOf(body), isOuter }];
}

function whyNotApart(one: NewPool, other: NewPool): string | undefined {
  if (!overlaps(intervalOf(one.cidr), intervalOf(other.cidr))) return undefined;
  if (!one.set || !other.set || !sameCidr(one.cidr, other.cidr))
    return `The pools ${one.name} (${one.text}) and ${other.name} (${other.text}) overlap.`;
  if (one.isOuter || other.isOuter) return undefined;
  const [first] = formatSet(sharedBy(one.set, other.set));
  return first && `The pools ${one.name} and ${other.name} both have ${first}.`;
}

/** Returns the objects of sets that exist and that no manifest describes any more, to be deleted. */
async function surplusOf(
  client: PlatClient,
  sets: readonly WantedSet[],
  wanted: readonly WantedObject[],
): Promise<readonly WantedObject[]> {
  const surplus: WantedObject[] = [];
  for (const kind of new Set(sets.map((set) => set.kind))) {
    const forms = sets.filter((set) => set.kind === kind);
    const described = new Set(wanted.filter((one) => one.kind === kind).map(({ name }) => name));
    for (const resource of await listAll<Resource>(client, kind))
      if (
        !described.has(resource.name) &&
        forms.some(({ form, name }) => form.isMember(name, resource))
      )
        surplus.push({ kind, name: resource.name, unsaid: [] });
  }
  return surplus;
}

type Resource = Readonly<Record<string, unknown>> & { readonly name: string };
