import { Rejection } from "../../src/base/outcome.ts";
import type { NamedAddress } from "../../src/kernel/allocations/identify-address.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { type ReleaseResult, releaseAddress } from "../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { reportConflict } from "../../src/kernel/release/report-conflict.ts";
import { blockOf } from "../../src/kernel/values/block-group.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt } from "../../src/net/cidr.ts";
import {
  type Amended,
  type Amendment,
  amendAddress,
} from "../../src/nouns/address/operations/amend-address.ts";
import { type AddressState, readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { type HandlePosition, readHandle } from "../../src/nouns/address/operations/read-handle.ts";
import { requestOf } from "./layers.ts";
import { type Promised, promisedOf } from "./ledger.ts";
import { ASIDE, type Ask, drawAddress, SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import { assignJudged } from "./second-look.ts";

const TRIES_MAX = 3;

/** Acts as one client: it sends a few requests, and uses each answer as a real client might. */
export async function client(context: Context, life: Life, asks: readonly Ask[]): Promise<void> {
  const chance = chanceIn(context);
  const dealWith = async (ask: Ask) => {
    const told = await asking(context, life, ask);
    if (!told) return;
    const lease = ask.request.leaseSeconds ?? (chance(0.05) ? 60 : undefined);
    await context.sleep(5_000 * context.random.fraction());
    if (chance(0.25)) await look(context, life, told);
    if (lease !== undefined && chance(0.6)) await renew(context, life, told, lease);
    if (life.scenario.moving && chance(0.5)) await move(context, life, told);
    if (chance(0.15)) await blunder(context, life, told);
    await letGo(context, life, told);
    if (lease !== undefined && chance(0.2)) await renew(context, life, told, lease);
  };
  // Some functions serve several requests side by side.
  const atOnce = chance(0.2) ? 2 : 1;
  for (let n = 0; n < asks.length; n += atOnce) {
    await context.sleep(8_000 * context.random.fraction());
    await Promise.all(asks.slice(n, n + atOnce).map(dealWith));
  }
}

/**
 * Acts as the same client a second time, in parallel. It sends the same requests, and mostly does
 * nothing with the answers.
 */
export async function twin(context: Context, life: Life, asks: readonly Ask[]): Promise<void> {
  for (const ask of asks) {
    await context.sleep(8_000 * context.random.fraction());
    const told = await asking(context, life, ask);
    if (told && chanceIn(context)(0.15)) await letGo(context, life, told);
  }
}

/** Sends a request until there is an answer, or until clients would give up. */
async function asking(
  context: Context,
  { scheduler, ledger, scenario }: Life,
  { key, request }: Ask,
): Promise<readonly Promised[] | undefined> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    // Sometimes a client changes its request and keeps the key by mistake.
    const other = key !== undefined && chanceIn(context)(0.03);
    const sent = other ? { ...request, digest: "another body" } : request;
    const since = ledger.moment;
    const named = (request.addresses ?? []).map(formatAddress);
    const before = new Map(named.map((text) => [text, ledger.promiseOf(text)]));
    const answer = await scheduler.trying(() =>
      assignJudged(requestOf(context), sent, {
        shared: scenario.pools.find(({ ranges }) => ranges)?.cidr,
        violate: (violation) => ledger.violations.push(violation),
      }),
    );
    if (answer && !(answer instanceof Rejection)) {
      scheduler.count("answer: assigned");
      const asked = request.wanted.reduce((sum, { count }) => sum + count, 0);
      const got = answer.addresses.length;
      const missing = answer.missing.reduce((sum, { count }) => sum + count, 0);
      const partial = request.allowPartial && got > 0;
      if ((got !== asked && !partial) || got + missing !== asked)
        ledger.violations.push({
          invariant: "I8",
          message: `asked ${asked}, got ${got}, and ${missing} are said to be missing`,
        });
      for (const text of named.filter(
        (text) => !answer.addresses.some(({ address }) => address === text),
      ))
        ledger.violations.push({
          invariant: "I8",
          message: `asked for ${text}, and got none of it`,
        });
      const limited = request.limitPerHandle === undefined ? undefined : since;
      for (const { family, count, interface: of } of partial ? [] : request.wanted) {
        const own = answer.addresses.filter((each) => each.interface === of);
        const ofFamily = own.filter((each) => each.family === family).length;
        if (of !== undefined && ofFamily !== count)
          ledger.violations.push({
            invariant: "I8",
            message: `interface ${of} asked for ${count} IPv${family} addresses, and got ${ofFamily}`,
          });
      }
      const told = ledger.hear(request.handle, key, answer.addresses, limited);
      if (request.limitPerHandle !== undefined) ledger.limited(told, request.limitPerHandle);
      return told;
    }
    if (answer) {
      scheduler.count(`answer: ${answer.code}`);
      const text = named.find((each) => each === answer.members.address);
      // No caller was assigned a host-reserved address.
      if (text !== undefined && !answer.members.hostReserved)
        ledger.hearRejection(answer, before.get(text), text, since);
    }
    if (key === undefined || answer?.code === "already_released") return undefined;
    await context.sleep(25_000 * context.random.fraction());
  }
  return undefined;
}

/** Reads addresses that it was told of, or all addresses of its handle, or an address at random. */
async function look(context: Context, life: Life, told: readonly Promised[]): Promise<void> {
  const { ledger, scheduler } = life;
  const [first] = told;
  const since = ledger.moment;
  if (first && chanceIn(context)(0.5)) {
    const before = ledger.promisesOf(first.handle);
    const answer = await scheduler.trying(() => holdings(context, first.handle));
    if (!answer) return;
    if (answer instanceof Rejection) scheduler.count(`answer: ${answer.code}`);
    const shown = answer instanceof Rejection ? [] : answer;
    for (const promised of before) {
      if (ledger.promiseOf(promised.address) !== promised) continue;
      const read = shown.find(({ address }) => address === promised.address);
      const { address } = promised;
      ledger.hearRead(read ?? { address, state: "assigned" }, promised, since);
    }
    return;
  }
  const at = drawTold(context, life, first) ?? drawAddress(context.random, life.scenario);
  const before = ledger.promiseOf(formatAddress(at));
  const read = await scheduler.trying(() => readAddress(requestOf(context), SPACE, at));
  if (read instanceof Rejection) scheduler.count(`answer: ${read.code}`);
  else if (read) ledger.hearRead(read, before, since);
}

/**
 * Draws an address that the client was assigned, or the first address of its block, which the host
 * may reserve; or neither.
 */
function drawTold(context: Context, { scenario }: Life, told: Promised | undefined) {
  if (!told || !chanceIn(context)(0.5)) return undefined;
  const isKept = scenario.hostReserved && chanceIn(context)(0.5);
  return isKept ? addressAt(blockOf(told.at, told.parsed.blockSize), 0) : told.at;
}

/** Reads all addresses of a handle, page after page. */
async function holdings(
  context: Context,
  handle: string,
): Promise<readonly AddressState[] | Rejection> {
  const items: AddressState[] = [];
  let position: HandlePosition | undefined;
  do {
    const page = await readHandle(requestOf(context), { space: SPACE, handle, limit: 3, position });
    if (page instanceof Rejection) return page;
    items.push(...page.items);
    position = page.next;
  } while (position);
  return items;
}

/** Renews the lease of addresses that it was told of, by generation or by handle. */
async function renew(
  context: Context,
  { scheduler, ledger }: Life,
  told: readonly Promised[],
  leaseSeconds: number,
): Promise<void> {
  for (const promised of told.slice(0, 1)) {
    await context.sleep(1000 * leaseSeconds * context.random.fraction());
    const { at: address, handle, parsed } = promised;
    const byHandle = chanceIn(context)(0.5);
    const proof = byHandle ? { handle } : { generation: parsed };
    const expiresAtMs = context.now() + 1000 * leaseSeconds;
    const answer = await scheduler.trying(() =>
      ledger[byHandle ? "renewingByHandle" : "renewing"](promised, expiresAtMs, () =>
        amendAddress(requestOf(context), SPACE, { address, ...proof, leaseSeconds }),
      ),
    );
    if (answer instanceof Rejection) scheduler.count(`answer: ${answer.code}`);
    else if (answer) scheduler.count("answer: renewed");
  }
}

/**
 * Becomes the alternate owner of an address without one, and then the active owner, as a machine
 * does that migrates.
 */
async function move(context: Context, life: Life, [promised]: readonly Promised[]): Promise<void> {
  if (!promised) return;
  const { scheduler, ledger } = life;
  const { at: address, parsed: generation } = promised;
  const me = { namespace: "shop", name: `vm-${context.random.fraction()}` };
  const amending = async (amendment: Pick<Amendment, "owner" | "expectedOwner">) => {
    const answer = await scheduler.trying(() =>
      amendAddress(requestOf(context), SPACE, { address, generation, ...amendment }),
    );
    scheduler.count(`answer: ${answer instanceof Rejection ? answer.code : "amended"}`);
    return answer;
  };
  const come = { owner: { alternate: me }, expectedOwner: { alternate: null } };
  const came = await amending(come);
  if (!came || came instanceof Rejection) return;
  ledger.heardAlternate(promised, me.name);
  if (chanceIn(context)(0.3)) {
    // Another machine tries to become the alternate owner as well.
    const other = { ...me, name: `${me.name}-other` };
    const both = await amending({ ...come, owner: { alternate: other } });
    if (both && !(both instanceof Rejection)) ledger.heardAlternate(promised, other.name);
  }
  await context.sleep(10_000 * context.random.fraction());
  ledger.leavesAlternate(promised, me.name);
  const stay = { owner: { active: me, alternate: null }, expectedOwner: { alternate: me } };
  const stayed = await amending(stay);
  if (stayed instanceof Rejection && stayed.code === "precondition_failed")
    ledger.violations.push({
      invariant: "owner",
      message: `${promised.address} had ${me.name} as alternate, and then ${stayed.detail}`,
    });
}

/** Sends a wrong request of a client, which must not free anything of another. */
async function blunder(context: Context, life: Life, told: readonly Promised[]): Promise<void> {
  const { scheduler, scenario } = life;
  const [first, second] = told;
  if (!first) return;
  const elsewhere = drawAddress(context.random, scenario);
  const generation = first.parsed;
  const wrong: readonly NamedAddress[] = [
    { address: first.at, handle: "somebody else" },
    { address: first.at, handle: "somebody else", generation },
    { address: second?.at ?? elsewhere, generation },
    { address: drawAddress(context.random, { pools: [] }), handle: first.handle },
    ...(scenario.settings.allowBareRelease ? [] : [{ address: elsewhere }]),
  ];
  const named = wrong[Math.floor(context.random.fraction() * wrong.length)] as NamedAddress;
  if (named.address === first.at && named.handle === undefined) return;
  if (sameAddress(named, first) && named.handle === undefined) return;
  const renewing = chanceIn(context)(0.3);
  const answer = await scheduler.trying<ReleaseResult | Amended | Rejection>(() =>
    renewing
      ? amendAddress(requestOf(context), SPACE, { ...named, leaseSeconds: 60 })
      : releaseAddress(requestOf(context), SPACE, named),
  );
  const code = answer && "code" in answer ? answer.code : undefined;
  if (code) scheduler.count(`answer: ${code}`);
}

const sameAddress = ({ address }: NamedAddress, { at }: Promised) =>
  address.family === at.family && address.value === at.value;

/** Releases all of its addresses, some of them, or none. */
async function letGo(context: Context, life: Life, told: readonly Promised[]): Promise<void> {
  const { scheduler, ledger } = life;
  const chance = chanceIn(context);
  const how = context.random.fraction();
  const [first] = told;
  if (how < 0.55)
    for (const promised of told) {
      await release(context, life, promised);
      if (chance(0.3)) await release(context, life, promised);
    }
  else if (how < 0.65 && first) await release(context, life, first);
  else if (how < 0.8 && first) {
    const { handle } = first;
    await scheduler.trying(() =>
      ledger.ending(handle, () => releaseHandle(requestOf(context), SPACE, handle)),
    );
  }
}

async function release(context: Context, life: Life, promised: Promised): Promise<void> {
  const { scheduler, ledger, scenario } = life;
  const { address, handle, parsed: generation, at } = promised;
  ledger.letGo(promised);
  const how = context.random.fraction();
  if (life.conflicts && how >= 0.75) return report(context, life, promised);
  const act = (named: NamedAddress) => () => releaseAddress(requestOf(context), SPACE, named);
  const bare = scenario.settings.allowBareRelease && how < 0.1;
  if (bare) life.crew?.judge.endingAt(address);
  const result = await scheduler.trying(() =>
    bare
      ? ledger.lettingGo(address, undefined, act({ address: at }))
      : how < 0.3
        ? ledger.lettingGo(address, handle, act({ address: at, handle }))
        : act({ address: at, generation, ...(how < 0.5 && { handle }) })(),
  );
  scheduler.count(`release: ${result?.status ?? "error"}`);
  if (result?.code) scheduler.count(`answer: ${result.code}`);
  if (result?.status === "released" || result?.status === "not_assigned") ledger.gone(promised);
}

/** Reports that something else uses an address, by generation or by handle. */
async function report(context: Context, life: Life, promised: Promised): Promise<void> {
  const { scheduler, ledger } = life;
  const { address, handle, parsed: generation, at } = promised;
  const since = ledger.moment;
  const answer = await scheduler.trying(() =>
    chanceIn(context)(0.3)
      ? ledger.lettingGo(address, handle, () =>
          reportConflict(requestOf(context), SPACE, { address: at, handle }),
        )
      : reportConflict(requestOf(context), SPACE, { address: at, generation }),
  );
  if (answer instanceof Rejection) scheduler.count(`answer: ${answer.code}`);
  else if (answer) {
    scheduler.count("answer: quarantined");
    ledger.heardQuarantine(address, answer.quarantinedUntilMs, since);
    ledger.gone(promised);
  }
}

/**
 * Acts as a janitor that releases what reads return, even addresses of requests without an answer
 * yet.
 */
export async function janitor(context: Context, life: Life): Promise<void> {
  const { scheduler, scenario } = life;
  for (let n = 0; n < 5; n++) {
    await context.sleep(15_000 * context.random.fraction());
    const client = Math.floor(context.random.fraction() * scenario.clients.length);
    const handle = scenario.clients[client]?.handle ?? "";
    const read = await scheduler.trying(() => holdings(context, handle));
    if (!read || read instanceof Rejection) continue;
    const [seen] = read;
    if (seen?.generation === undefined) continue;
    const promised = promisedOf(handle, { ...seen, generation: seen.generation });
    if (chanceIn(context)(0.5)) await renew(context, life, [promised], 60);
    else await release(context, life, promised);
  }
}

/**
 * Acts as a client of another space. No judge watches it, but the scheduled runs work on both
 * spaces.
 */
export async function neighbour(context: Context): Promise<void> {
  const handle = "neighbour";
  for (let n = 0; n < 3; n++) {
    await assign(requestOf(context), {
      space: ASIDE,
      host: "host:node-1",
      wanted: [{ family: 4, count: 2 }],
      handle,
      attributes: {},
      pools: [],
      digest: `${n}`,
    });
    await context.sleep(60_000 * context.random.fraction());
    if (chanceIn(context)(0.7)) await releaseHandle(requestOf(context), ASIDE, handle);
  }
}

const chanceIn =
  ({ random }: Context) =>
  (share: number) =>
    random.fraction() < share;
