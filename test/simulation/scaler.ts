import { Rejection } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Conditions, Precondition } from "../../src/kernel/core/written.ts";
import type { ApplicationName, ApplicationSpec } from "../../src/nouns/application/application.ts";
import { deleteApplication } from "../../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../../src/nouns/application/operations/put-application.ts";
import { readApplication } from "../../src/nouns/application/operations/read-applications.ts";
import { listPools, readPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { Applications } from "./applications.ts";
import type { HeldAddresses } from "./held-addresses.ts";
import { requestOf } from "./layers.ts";
import { chance, ifMatch, oneOf } from "./operators.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";

/** The applications of a life, their judge, and the last request for one of them. */
export interface Fleet extends Applications {
  readonly judge: HeldAddresses;
  /** It may be sent twice. */
  last?: Sent;
}

/** A PUT of an application, or a DELETE if it says nothing of it. */
interface Sent {
  readonly of: ApplicationName;
  readonly spec: ApplicationSpec | undefined;
  readonly precondition: Precondition;
}

const ANY: Conditions = { match: "any" };

/**
 * Acts as the controller that writes applications: they grow, get smaller, are deleted, and come again. It repeats a request
 * without an answer, and at times any other one, also that of another controller that has died since.
 */
export async function scaler(context: Context, life: Life, fleet: Fleet): Promise<void> {
  for (let n = 0; n < 7; n++) {
    await context.sleep(n === 0 ? 4_000 : 20_000 * context.random.fraction());
    const isRepeat = chance(context, 0.2);
    const sent = (isRepeat && fleet.last) || (await draw(context, fleet));
    fleet.last = sent;
    const isAnswered = await life.scheduler.trying(() => send(context, life, fleet, sent));
    if (!isAnswered) await life.scheduler.trying(() => send(context, life, fleet, sent));
  }
}

/** Sends a request. Returns true if it was answered. */
async function send(
  context: Context,
  { scheduler }: Life,
  { judge }: Fleet,
  { of, spec, precondition }: Sent,
): Promise<boolean> {
  const answer = spec
    ? await judge.announcing(of, () =>
        putApplication(requestOf(context), SPACE, of, spec, precondition),
      )
    : await deleteApplication(requestOf(context), SPACE, of, precondition);
  const what = spec ? "application put" : "application deleted";
  const isUnfinished = "unfinished" in answer && answer.unfinished;
  const how = isUnfinished ? "unfinished" : "done";
  scheduler.count(`${what}: ${answer instanceof Rejection ? answer.code : how}`);
  if (answer instanceof Rejection) scheduler.count(`answer: ${answer.code}`);
  return true;
}

async function draw(context: Context, fleet: Fleet): Promise<Sent> {
  const of = oneOf(context, fleet.names);
  const seen = await readApplication(requestOf(context), SPACE, of);
  const revision = seen instanceof Rejection ? undefined : seen.revision;
  const isCurrent = revision !== undefined && chance(context, 0.5);
  return {
    of,
    spec: chance(context, 0.25) ? undefined : drawSpec(context, fleet),
    precondition: isCurrent ? ANY : ifMatch(context, revision),
  };
}

function drawSpec(context: Context, { interfaces }: Fleet): ApplicationSpec {
  const isShort = chance(context, 0.15);
  return {
    replicas: oneOf(context, [0, 1, 2, 2, 3]),
    start: chance(context, 0.1) ? 1 : 0,
    ...(chance(context, 0.95) && {
      addresses: {
        number: oneOf(context, ["1", "2", "3", "4", "+0", "+1"]),
        interfaces: interfaces.map(({ name, pools }) => ({
          name,
          pools: isShort ? pools.slice(-1) : pools,
        })),
        keep: chance(context, 0.3),
      },
    }),
  };
}

/**
 * Deletes all applications for good, and the pool that exists for them. One that was deleted and keeps its addresses is first
 * written without those of its pools that are gone.
 */
export async function retire(context: Context, { names, pools }: Fleet): Promise<void> {
  const { items } = await listPools(context, SPACE);
  const isThere = (text: string) =>
    items.some(({ name, state }) => name === text && state !== "pending");
  for (const of of names) {
    const seen = await readApplication(context, SPACE, of);
    if (seen instanceof Rejection) continue;
    const { addresses } = seen;
    if (addresses?.keep) {
      const interfaces = addresses.interfaces.map((each) => ({
        ...each,
        pools: each.pools.filter(isThere),
      }));
      const none = { number: "+0", interfaces, keep: false };
      const spec = { replicas: 0, start: 0, addresses: none };
      await putApplication(context, SPACE, of, spec, ANY);
    }
    await deleteApplication(context, SPACE, of, ANY);
  }
  for (const { name } of pools) {
    const pool = await readPool(context, SPACE, name);
    if (!(pool instanceof Rejection)) await deletePool(context, SPACE, name, pool.revision);
  }
}
