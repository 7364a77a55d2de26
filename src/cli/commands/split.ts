import { Command, InvalidArgumentError } from "commander";
import { stringify } from "yaml";
import { POOLS_PER_SPACE_MAX } from "../../base/limits.ts";
import { isRejection, mayBeDone, PlatError } from "../../client/index.ts";
import { asSeen } from "../../client/request.ts";
import { type Cidr, formatCidr, parseCidr, sizeOf } from "../../net/cidr.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { count, type Duration, duration } from "../invocation/options.ts";
import { checkDone, follow, TIMEOUT_HELP } from "../invocation/wait-for-job.ts";
import { counted } from "../output/count.ts";
import { tellingResult } from "../output/progress.ts";
import { detailsOf, headersAsSeen, warn } from "../resource/change.ts";
import { createNew } from "../resource/create.ts";
import { POOL_RESOURCE, pathOfObject, titled } from "../resource/kind.ts";
import { CommandError, rejectionError, usageError } from "../shell/exit.ts";
import { commandErrorOf } from "../shell/failed-call.ts";
import { examples } from "../shell/help.ts";
import { abortable } from "../shell/interrupt.ts";
import type { Io } from "../shell/io.ts";
import { atOnce } from "../space/at-once.ts";
import { type PoolRead, readPools } from "../space/configuration.ts";
import { assignedInPool } from "../space/usage.ts";
import { POOL_COLUMNS } from "./pool.ts";

interface Options extends ConfirmOptions {
  readonly enable?: true;
  readonly timeout?: Duration;
}

/**
 * Makes `calicoctl ipam split`, as far as it is safe in Plat. Two pools must not overlap, and a block stays with the
 * pool in which it was claimed. So it rejects a pool with addresses. It deletes an empty pool before it creates the
 * parts.
 */
export const splitCommand = (io: Io): Command =>
  withConfirmation(
    printing(new Command("split")),
    "Show the parts, and change nothing; `pool apply` takes what -o yaml prints",
  )
    .description("Replace an empty pool by pools of equal size")
    .argument("<number>", "Number of parts: a power of two, at least 2", powerOfTwo)
    .argument("<pool>", "Name of the pool")
    .option("--enable", "Enable the parts, also if the pool is drained or disabled")
    .option("--timeout <duration>", TIMEOUT_HELP, duration)
    .addHelpText(
      "after",
      examples(
        ["Show the parts", "plat split 4 default-ipv4 --dry-run"],
        ["Split a drained pool into four that serve", "plat split 4 default-ipv4 --enable"],
      ),
    )
    .action(action(io, split));

async function split(
  session: Session,
  options: Options,
  number: number,
  name: string,
): Promise<void> {
  const { enable, dryRun, timeout } = options;
  const { client, print } = session;
  const confirm = confirmation(session, options);
  const seen = await client.readPool({ name });
  const parts = partsOf(enable ? { ...seen.body, disabled: false } : seen.body, number);
  await checkFree(session, parts);
  // A deleting pool was empty when an earlier try began, so this one continues.
  if (seen.body.state !== "deleting") await checkEmpty(session, name);
  await checkParts(session, parts);
  if (dryRun) return print({ columns: POOL_COLUMNS, rows: parts, document: { pools: parts } });
  const { cidr } = seen.body;
  await confirm(
    `Delete pool ${name} (${cidr}), and create ${number} pools of /${prefixOf(parts)} in its place?`,
  );
  const over = (error: unknown) =>
    handingOver(
      error,
      `While pool ${name} exists, the same command continues. After that, create its parts`,
      parts,
    );
  const { body } = await abortable(
    session.io,
    `Interrupted: pool ${name} may be deleted.`,
    (signal) => client.deletePool({ name, ...asSeen(seen), signal }),
  ).catch((error: unknown) => {
    throw error instanceof PlatError && !mayBeDone(error) ? error : over(error);
  });
  const job = await follow(session, body.job, timeout).catch((error: unknown) => {
    throw over(error);
  });
  checkDone(job);
  await createAll(session, name, parts);
}

const prefixOf = ([part]: readonly PoolRead[]): string | undefined => part?.cidr.split("/")[1];

/** Returns the pools into which a pool is split: unchanged except for name and range. */
function partsOf({ state: _, job: __, ...pool }: PoolRead, number: number): readonly PoolRead[] {
  // The ranges of a pool lie inside of its cidr, and not inside of that of a part.
  if (pool.ranges)
    throw usageError(
      `The pool ${pool.name} has ranges; create other pools of its cidr, and give each some of them.`,
    );
  // A part would have to be a whole prefix of the parent.
  if (pool.parent !== undefined)
    throw usageError(
      `The pool ${pool.name} is a prefix of pool ${pool.parent}, and so is no part of it; assign smaller prefixes of ${pool.parent}, and create a pool of each.`,
    );
  const range = parseCidr(pool.cidr);
  if (!range.ok) throw new Error(`the API says that the pool's cidr is ${pool.cidr}`);
  const { family, base, prefix } = range.value;
  const part: Cidr = { family, base, prefix: prefix + Math.log2(number) };
  if (part.prefix > pool.blockSize)
    throw usageError(
      `The pool ${pool.name} is ${pool.cidr} in /${pool.blockSize} blocks; it has at most ${counted(2 ** (pool.blockSize - prefix), "part")}.`,
    );
  // The parts are used in the network of the whole, in which their router is.
  const isInNetwork = pool.kind === "subnet" || pool.gateway !== undefined || pool.routes?.length;
  return Array.from({ length: number }, (_, i) => ({
    ...pool,
    ...(isInNetwork && { prefixLength: pool.prefixLength ?? prefix }),
    name: `split-${pool.name}-${i}`,
    cidr: formatCidr({ ...part, base: base + BigInt(i) * sizeOf(part) }),
  }));
}

async function checkFree({ client }: Session, parts: readonly PoolRead[]): Promise<void> {
  const pools = await readPools(client);
  const taken = parts.find(({ name }) => pools.some((pool) => pool.name === name));
  if (taken) throw usageError(`${titled(POOL_RESOURCE, taken.name)} exists already.`);
  const current = pools.length;
  const after = current - 1 + parts.length;
  if (after > POOLS_PER_SPACE_MAX)
    throw usageError(
      `The space has ${counted(current, "pool")}; with ${parts.length} parts in place of one it would have ${after}, and the maximum is ${POOLS_PER_SPACE_MAX}.`,
    );
}

async function checkEmpty({ client }: Session, name: string): Promise<void> {
  const assigned = await assignedInPool(client, name);
  if (assigned > 0n)
    throw rejectionError(
      "pool_in_use",
      `${counted(assigned, "address", "addresses")} of pool ${name} ${assigned === 1n ? "is" : "are"} assigned, and only an empty pool can be split.`,
      `Drain it first: \`plat pool drain ${name} --wait\`.`,
    );
}

const CHECKS_AT_ONCE = 8;

/**
 * Checks by dry runs that the API will take the parts, because it is too late for that once the pool is deleted.
 *
 * @throws CommandError if it rejects one for another reason than an overlap, because the pool still has the range
 */
async function checkParts({ client }: Session, parts: readonly PoolRead[]): Promise<void> {
  await atOnce(parts, CHECKS_AT_ONCE, async (part) => {
    try {
      await client.call({
        method: "PUT",
        path: pathOfObject(POOL_RESOURCE, part.name),
        query: { dryRun: true },
        body: part,
        ...headersAsSeen(undefined),
      });
    } catch (error) {
      if (isRejection(error, "pool_overlap")) return;
      const failed = commandErrorOf(error);
      if (!failed) throw error;
      const title = titled(POOL_RESOURCE, part.name);
      throw new CommandError(failed.exit, `${title}: ${failed.message}\nNothing was deleted.`);
    }
  });
}

/**
 * Creates the parts, and prints those that exist then, also if one of them fails. The pool no longer exists at that time, so an error
 * message names the missing parts.
 */
async function createAll(
  { client, io, print }: Session,
  name: string,
  parts: readonly PoolRead[],
): Promise<void> {
  const created: PoolRead[] = [];
  const titles = () => created.map((part) => `${titled(POOL_RESOURCE, part.name)} created\n`);
  const tell = () =>
    print({
      text: () => titles().join(""),
      document: { pools: created },
      rows: created,
      names: created.map((part) => part.name),
    });
  async function* creations() {
    for (const part of parts) {
      const answer = await createNew(client, POOL_RESOURCE, part.name, part);
      created.push(part);
      yield answer;
    }
  }
  try {
    await tellingResult(io, created, tell, async (untilInterrupted) => {
      for await (const answer of untilInterrupted(creations())) warn(io, detailsOf(answer));
    });
  } catch (error) {
    throw handingOver(
      error,
      `Pool ${name} is deleted, and these parts of it do not exist yet. Create them`,
      parts.slice(created.length),
    );
  }
}

/** Returns an error that also has the parts which do not exist yet, as `plat pool apply` takes them. */
function handingOver(error: unknown, advice: string, parts: readonly PoolRead[]): unknown {
  const failed = commandErrorOf(error);
  if (!failed || parts.length === 0) return error;
  const text = stringify({ pools: parts });
  return new CommandError(
    failed.exit,
    `${failed.message}\n${advice} with \`plat pool apply -f -\`:\n${text}`,
  );
}

function powerOfTwo(text: string): number {
  const number = count(text);
  if (number > POOLS_PER_SPACE_MAX)
    throw new InvalidArgumentError(
      `It must be at most ${POOLS_PER_SPACE_MAX}, the maximum number of pools in a space.`,
    );
  if (number >= 2 && Number.isInteger(Math.log2(number))) return number;
  throw new InvalidArgumentError("It must be a power of two, at least 2.");
}
