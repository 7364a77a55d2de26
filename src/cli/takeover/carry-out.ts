import { createHash } from "node:crypto";
import { affinityTypeOf, hostName } from "../../domain/host.ts";
import { atOnce } from "../at-once.ts";
import { ApiError, type Client, isRefusal, path } from "../client.ts";
import { CommandError, EXIT } from "../exit.ts";
import type { Io, Progress } from "../io.ts";
import { counting } from "../progress.ts";
import { put } from "./put.ts";
import type { AssignStep, ClaimStep, DisownStep, OwnerStep, Plan } from "./steps.ts";

/** Requests under way: what one function with its memory, or many of them, take without turning anybody away. */
const REQUESTS_AT_ONCE = 32;
/** Longer than any function acts on what it knew before (the API says exactly how long). */
const EFFECTIVE_MS_MAX = 60_000;

/** What came of a plan that was carried out. */
export interface CarriedOut {
  /** Addresses that an earlier run took over, and that were released since: they are not taken again. */
  readonly releasedSince: readonly string[];
}

/**
 * Does what a plan says, in an order in which nothing stands in the way of anything: what is reserved and labelled → pools that
 * serve, though nobody by themselves, and a configuration that lets everything in → blocks → addresses → blocks without an
 * owner → pools and configuration as they are to be. Every step can be done again: what was cut off is completed by a new plan.
 */
export async function carryOut(
  client: Client,
  io: Io,
  plan: Plan,
  shown: Progress,
): Promise<CarriedOut> {
  await atOnce(plan.reservations, REQUESTS_AT_ONCE, ({ name, cidrs }) =>
    put(client, path`/v1/reservations/${name}`, (before) => ({ ...before, cidrs })),
  );
  await atOnce(plan.labelled, REQUESTS_AT_ONCE, ({ kind, name, labels }) =>
    put(client, path`/v1/${kind}/${name}`, () => ({ labels })),
  );
  await open(client, io, plan, shown);
  await claimAll(client, plan.claims, shown);
  const releasedSince = await assignAll(client, plan.assigns, shown);
  await atOnce(plan.owners, REQUESTS_AT_ONCE, (step) => setAlternate(client, step));
  await atOnce(plan.leftovers, REQUESTS_AT_ONCE, (left) => release(client, left));
  await atOnce(plan.disowns, REQUESTS_AT_ONCE, (step) => disown(client, step));
  for (const { name, fields } of plan.pools)
    await put(client, path`/v1/pools/${name}`, () => fields);
  const { settings } = plan;
  if (settings) await put(client, path`/v1/config`, () => settings.settings);
  return { releasedSince };
}

/** Lets in what is to come; and waits until everybody knows. */
async function open(client: Client, io: Io, plan: Plan, shown: Progress): Promise<void> {
  const times: (string | undefined)[] = [];
  const { pools, settings, claims, assigns } = plan;
  for (const { name, opened } of pools)
    if (opened) times.push(await put(client, path`/v1/pools/${name}`, () => opened));
  if (settings?.opened) {
    const { opened } = settings;
    times.push(await put(client, path`/v1/config`, () => opened));
  }
  if (claims.length + assigns.length === 0) return;
  const latest = Math.max(...times.map((time = "") => Date.parse(time)).filter(Number.isFinite));
  const waitMs = Math.min(latest - io.nowMs(), EFFECTIVE_MS_MAX);
  if (!(waitMs > 0)) return;
  shown.update(`until everybody knows the pools: ${Math.ceil(waitMs / 1000)} s`);
  await io.sleep(waitMs);
}

/** Hosts side by side, the blocks of one host one after the other: each takes its lowest free place. */
async function claimAll(
  client: Client,
  claims: readonly ClaimStep[],
  shown: Progress,
): Promise<void> {
  const done = counting(shown, "blocks", claims.length);
  const byHost = new Map<string, ClaimStep[]>();
  for (const claim of claims) byHost.set(claim.host, [...(byHost.get(claim.host) ?? []), claim]);
  await atOnce([...byHost.values()], REQUESTS_AT_ONCE, async (ofHost) => {
    for (const claim of ofHost) {
      await claimOne(client, claim);
      done();
    }
  });
}

interface Claimed {
  readonly blocks: readonly { readonly status: string; readonly host?: string }[];
}

async function claimOne(client: Client, { cidr, host, reserving }: ClaimStep): Promise<void> {
  if (reserving) {
    const { first, giveBack } = reserving;
    // What is given back at once has no key: under one it could not be assigned again when the block has gone.
    await assign(client, first, giveBack ? {} : keyOf(first));
    if (giveBack) await release(client, first);
    return;
  }
  const { body } = await client.call<Claimed>({
    method: "POST",
    path: path`/v1/nodes/${hostName(host)}/affinities`,
    body: { cidr, affinityType: affinityTypeOf(host) },
    isRepeatable: true,
  });
  const [block] = body.blocks;
  if (block?.status === "claimed") return;
  throw cutOff(
    `block ${cidr} is not ${host}'s: ${block?.status}${block?.host ? `, it is ${block.host}'s` : ""}`,
  );
}

async function assignAll(
  client: Client,
  assigns: readonly AssignStep[],
  shown: Progress,
): Promise<readonly string[]> {
  const done = counting(shown, "addresses", assigns.length);
  const results = await atOnce(assigns, REQUESTS_AT_ONCE, async (step) => {
    const taken = await assign(client, step, keyOf(step));
    if (taken && step.alternate) await setAlternate(client, { ...step, alternate: step.alternate });
    done();
    return taken ? [] : [step.address];
  });
  return results.flat();
}

/** @returns whether the handle has it now; if not, it had it and has given it back */
async function assign(
  client: Client,
  { address, handle, host, attributes, hostReserved }: AssignStep,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  try {
    await client.call({
      method: "POST",
      path: path`/v1/assign`,
      body: {
        host: hostName(host),
        affinityType: affinityTypeOf(host),
        address,
        handle,
        attributes,
        ...(hostReserved && { hostReserved }),
      },
      headers,
    });
    return true;
  } catch (error) {
    if (isRefusal(error, "already_released")) return false;
    const isRefused =
      error instanceof ApiError && error.problem.status < 500 && !error.problem.retryable;
    throw isRefused ? cutOff(`${address}: ${error.message}`) : error;
  }
}

/** The same in every run, so that one that was cut off is gone on with. */
const keyOf = ({ block, address, handle }: AssignStep) => ({
  "Idempotency-Key": `import-${createHash("sha256").update([block, address, handle].join("\0")).digest("base64url")}`,
});

async function setAlternate(
  client: Client,
  { address, handle, alternate }: OwnerStep,
): Promise<void> {
  await client.call({
    method: "PATCH",
    path: path`/v1/addresses/${address}`,
    body: { handle, owner: { alternate } },
    isRepeatable: true,
  });
}

async function release(
  client: Client,
  { address, handle }: { readonly address: string; readonly handle: string },
): Promise<void> {
  await client.call({
    method: "POST",
    path: path`/v1/release`,
    body: { addresses: [{ address, handle }] },
  });
}

async function disown(client: Client, { cidr, host }: DisownStep): Promise<void> {
  await client.call({
    method: "DELETE",
    path: path`/v1/nodes/${hostName(host)}/affinities`,
    query: { cidr, affinityType: affinityTypeOf(host), mustBeEmpty: false },
    isRepeatable: true,
  });
}

const cutOff = (message: string) =>
  new CommandError(
    EXIT.refused,
    `${message}\nSomebody else was at work since the plan was made. What is done stays; run it again to see what is left.`,
  );
