import { randomUUID } from "node:crypto";
import { groupedBy } from "../../base/grouped-by.ts";
import { APPLICATION_ADDRESSES_MAX, APPLICATION_ADDRESSES_PER_CHANGE } from "../../base/limits.ts";
import {
  type Answer,
  ApiError,
  found,
  type PlatClient,
  PlatError,
  type Problem,
  path,
} from "../../client/index.ts";
import { affinityTypeOf, hostName } from "../../kernel/values/host.ts";
import { counting } from "../output/progress.ts";
import { headersAsSeen, warn } from "../resource/change.ts";
import { APPLICATION_RESOURCE, pathOfObject } from "../resource/kind.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { addedTo, commandErrorOf } from "../shell/failed-call.ts";
import type { Io, ShownProgress } from "../shell/io.ts";
import { atOnce } from "../space/at-once.ts";
import type { DesiredApplication } from "./desired.ts";
import { put, type Written, writePool, writeReservation, writeSettings } from "./put.ts";
import type {
  AssignStep,
  ClaimStep,
  DisownStep,
  OwnerStep,
  Plan,
  ReservationStep,
} from "./steps.ts";

/** The number of parallel requests that the functions serve without throttling. */
const REQUESTS_AT_ONCE = 32;
/** Longer than any function uses an old configuration. The API returns the exact time. */
const EFFECTIVE_MS_MAX = 120_000;

/**
 * Carries out a plan in an order without conflicts:
 *
 * - reservations and labels;
 * - pools that serve only requests that name them, and a configuration without limits;
 * - reservations without the addresses that applications hold for their instances;
 * - applications, which hold addresses of these pools;
 * - blocks;
 * - addresses;
 * - blocks without an owner;
 * - the final applications and reservations;
 * - the final pools and configuration.
 *
 * Every step can be repeated, so a new plan completes an interrupted one. Errors say so.
 */
export async function carryOut(
  client: PlatClient,
  io: Io,
  plan: Plan,
  shown: ShownProgress,
): Promise<void> {
  try {
    await carryOutSteps(client, io, plan, shown);
  } catch (error) {
    throw error instanceof PlatError ? addedTo(error, COMPLETED_STAY) : error;
  }
}

const pathOfReservation = (name: string) => path`/v1/reservations/${name}`;

const COMPLETED_STAY = "Completed steps stay. Repeat the command to see what is left.";

async function carryOutSteps(
  client: PlatClient,
  io: Io,
  plan: Plan,
  shown: ShownProgress,
): Promise<void> {
  const run = randomUUID();
  await atOnce(plan.reservations.filter(isOnlyMade), REQUESTS_AT_ONCE, (one) =>
    writeReservation(client, one),
  );
  await atOnce(plan.labelled, REQUESTS_AT_ONCE, ({ kind, name, labels }) =>
    put(client, path`/v1/${kind}/${name}`, (before) => ({ ...before, labels })),
  );
  await open(client, io, plan, shown);
  // By now the pools serve only who names them.
  const removed = await openReservations(client, io, plan);
  await holdAll(client, io, plan, shown);
  await claimAll(client, run, plan.claims, shown);
  await assignAll(client, run, plan.assigns, shown);
  await atOnce(plan.owners, REQUESTS_AT_ONCE, (step) => setAlternate(client, step));
  await atOnce(plan.leftovers, REQUESTS_AT_ONCE, (left) => release(client, left));
  await atOnce(plan.disowns, REQUESTS_AT_ONCE, (step) => disown(client, step));
  for (const one of plan.applications.filter(({ opened }) => opened))
    sayShort(io, one.name, (await holdFor(client, one.name, one.fields)).body);
  for (const { name, cidrs } of plan.reservations.filter(({ opened }) => opened))
    await put(client, pathOfReservation(name), (before) => ({
      ...(before ?? removed.get(name)),
      cidrs,
    }));
  for (const one of plan.pools) await writePool(client, one, one.fields);
  const { settings } = plan;
  if (settings) await writeSettings(client, settings.settings);
  // Reports their effect on pools at the end, because a repeated request finds each unchanged.
  const reserved = await atOnce(
    plan.reservations.filter(({ cidrs }) => cidrs.length > 0),
    REQUESTS_AT_ONCE,
    (one) => writeReservation(client, one, { dryRun: true }),
  );
  warn(
    io,
    reserved.flatMap(({ warnings }) => warnings),
  );
}

/** Returns true for a new reservation that is whole from the beginning. */
const isOnlyMade = ({ verb, opened }: ReservationStep): boolean => verb === "create" && !opened;

type Reservation = Readonly<Record<string, unknown>>;

/**
 * Changes reservations to what they are during the import: without the addresses that applications hold for their instances.
 *
 * @returns those that it deleted, because no reservation is without networks
 */
async function openReservations(
  client: PlatClient,
  io: Io,
  { reservations }: Plan,
): Promise<ReadonlyMap<string, Reservation>> {
  const removed = new Map<string, Reservation>();
  const others = reservations.filter((one) => !isOnlyMade(one));
  await atOnce(others, REQUESTS_AT_ONCE, async ({ name, cidrs, opened = cidrs }) => {
    if (opened.length > 0) return void (await writeReservation(client, { name, cidrs: opened }));
    const route = pathOfReservation(name);
    const before = await found(client.call<Reservation>({ method: "GET", path: route }));
    if (!before) return;
    removed.set(name, before.body);
    if (cidrs.length > 0)
      io.err(
        `Note: reservation ${name} is deleted during the import, and made again at its end.\n`,
      );
    await client.call({ method: "DELETE", path: route, ...headersAsSeen(before) });
  });
  return removed;
}

/** Opens pools and configuration for the import, and waits until every function acts on it. */
async function open(client: PlatClient, io: Io, plan: Plan, shown: ShownProgress): Promise<void> {
  const times: (string | undefined)[] = [];
  const { pools, settings, applications, claims, assigns } = plan;
  for (const one of pools)
    if (one.opened) times.push((await writePool(client, one, one.opened)).effectiveAt);
  if (settings?.opened) times.push((await writeSettings(client, settings.opened)).effectiveAt);
  if (claims.length + assigns.length + applications.length === 0) return;
  await untilEffective(io, times, "pools", shown);
}

/** Holds addresses for applications. The assigns of their instances need that every function knows them. */
async function holdAll(
  client: PlatClient,
  io: Io,
  plan: Plan,
  shown: ShownProgress,
): Promise<void> {
  const times = await atOnce(plan.applications, REQUESTS_AT_ONCE, async (one) => {
    const { body, effectiveAt } = await holdFor(client, one.name, one.opened ?? one.fields);
    // An opened one asks for more than it needs.
    if (!one.opened) sayShort(io, one.name, body);
    return effectiveAt;
  });
  if (plan.assigns.length > 0) await untilEffective(io, times, "applications", shown);
}

/** Writes an application until it has its addresses, or cannot get more. */
async function holdFor(client: PlatClient, name: string, fields: DesiredApplication["fields"]) {
  let written = await put(client, pathOfObject(APPLICATION_RESOURCE, name), () => fields);
  // One request holds a part of many addresses, and the same request goes on.
  for (let n = 1; n < PUTS_OF_APPLICATION_MAX && written.body.complete === false; n++)
    written = await put(client, pathOfObject(APPLICATION_RESOURCE, name), () => fields);
  return written;
}

function sayShort(io: Io, name: string, { complete, refusal }: Written): void {
  if (complete !== false) return;
  const why = refusal ? `: ${refusal.detail}` : ".";
  io.err(`Note: application ${name} does not have all its addresses${why}\n`);
}

/** An application lets go of what it has too many of first, as many in one change as it gets. */
const PUTS_OF_APPLICATION_MAX = (2 * APPLICATION_ADDRESSES_MAX) / APPLICATION_ADDRESSES_PER_CHANGE;

/** Waits until every function acts on what was written. */
async function untilEffective(
  io: Io,
  times: readonly (string | undefined)[],
  what: string,
  shown: ShownProgress,
): Promise<void> {
  const latest = Math.max(...times.map((time = "") => Date.parse(time)).filter(Number.isFinite));
  const waitMs = Math.min(latest - io.nowMs(), EFFECTIVE_MS_MAX);
  if (!(waitMs > 0)) return;
  shown.update(`waiting for the ${what} to take effect: ${Math.ceil(waitMs / 1000)} s`);
  await io.sleep(waitMs);
}

/**
 * Claims the blocks of different hosts in parallel. It claims those of one host one after the other, because each claim
 * takes the host's lowest free place.
 */
async function claimAll(
  client: PlatClient,
  run: string,
  claims: readonly ClaimStep[],
  shown: ShownProgress,
): Promise<void> {
  const done = counting(shown, "blocks", claims.length);
  const byHost = groupedBy(claims, ({ host }) => host);
  await atOnce([...byHost.values()], REQUESTS_AT_ONCE, async (ofHost) => {
    for (const claim of ofHost) {
      await claimOne(client, run, claim);
      done();
    }
  });
}

async function claimOne(
  client: PlatClient,
  run: string,
  { cidr, host, by, reserving }: ClaimStep,
): Promise<void> {
  if (by) return assign(client, run, by);
  if (reserving) {
    const { first, isTemporary } = reserving;
    await assign(client, run, first);
    if (isTemporary) await release(client, first);
    return;
  }
  const { body } = await client.claimAffinities({
    node: hostName(host),
    body: { cidr, affinityType: affinityTypeOf(host) },
    isRepeatable: true,
  });
  const [block] = (body as Claimed).blocks;
  if (block?.status === "claimed") return;
  const isOthers = block?.host !== undefined;
  throw cutOff(
    `block ${cidr} is not ${host}'s: ${block?.status}${isOthers ? `, it is ${block.host}'s` : ""}`,
    isOthers,
  );
}

async function assignAll(
  client: PlatClient,
  run: string,
  assigns: readonly AssignStep[],
  shown: ShownProgress,
): Promise<void> {
  const done = counting(shown, "addresses", assigns.length);
  await atOnce(requestsOf(assigns), REQUESTS_AT_ONCE, async ([first, ...others]) => {
    await assign(client, run, first, others);
    for (const step of [first, ...others]) {
      if (step.alternate) await setAlternate(client, { ...step, alternate: step.alternate });
      done();
    }
  });
}

/** An address to assign, and the others that its instance gets in the same request. */
type AssignRequest = readonly [AssignStep, ...AssignStep[]];

/** Divides addresses into requests: an instance gets its addresses in one. */
function requestsOf(assigns: readonly AssignStep[]): readonly AssignRequest[] {
  const requests = new Map<string, AssignRequest>();
  for (const step of assigns) {
    const key = step.workload ? step.handle : step.address;
    const request = requests.get(key);
    requests.set(key, request ? [...request, step] : [step]);
  }
  return [...requests.values()];
}

async function assign(
  client: PlatClient,
  run: string,
  { address, handle, host, attributes, workload, hostReserved }: AssignStep,
  others: readonly AssignStep[] = [],
): Promise<void> {
  try {
    await client.assign({
      body: {
        host: hostName(host),
        affinityType: affinityTypeOf(host),
        ...(others.length > 0
          ? { addresses: [address, ...others.map((other) => other.address)] }
          : { address }),
        ...(workload ? instanceOf(workload) : { handle }),
        attributes,
        ...(hostReserved && { hostReserved }),
      },
      // Within a run, the same request has the same answer. The next run requests missing addresses again. An instance has no key.
      ...(!workload && { idempotencyKey: `import-${run}-${address}` }),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, status, retryable } = error.problem;
    const isOthers = OTHERS.includes(code);
    const isRejected = isOthers || (status < 500 && !retryable);
    throw isRejected ? cutOff(`${address}: ${commandErrorOf(error)?.message}`, isOthers) : error;
  }
}

const instanceOf = ({ namespace, ...workload }: NonNullable<AssignStep["workload"]>) => ({
  namespace,
  workload,
});

/** The answer for a body that names a range. */
type Claimed = Extract<Answer<"claimAffinities">, { readonly complete: unknown }>;

/** Codes that mean that another caller got the address after the plan was made. */
const OTHERS: readonly Problem["code"][] = [
  "already_assigned",
  "already_released",
  "address_cooling",
  "address_quarantined",
];

async function setAlternate(
  client: PlatClient,
  { address, handle, alternate }: OwnerStep,
): Promise<void> {
  await client.amendAddress({
    ip: address,
    body: { handle, owner: { alternate } },
    isRepeatable: true,
  });
}

async function release(
  client: PlatClient,
  { address, handle }: { readonly address: string; readonly handle: string },
): Promise<void> {
  await client.release({
    body: { addresses: [{ address, handle }] },
    // Only an import assigns under this handle.
    isRepeatable: true,
  });
}

async function disown(client: PlatClient, { cidr, host }: DisownStep): Promise<void> {
  await client.releaseAffinities({
    node: hostName(host),
    cidr,
    affinityType: affinityTypeOf(host),
    mustBeEmpty: false,
    isRepeatable: true,
  });
}

const cutOff = (message: string, isOthers: boolean) =>
  new CommandError(
    EXIT.rejected,
    `${message}\n${isOthers ? "Somebody else changed the space since the plan was made. " : ""}${COMPLETED_STAY}`,
  );
