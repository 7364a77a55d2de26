import {
  CONFIGURATION_FRESH_MS,
  CONFIGURATION_JITTER_MS,
  CONFIGURATION_RELOAD_MS,
  EFFECTIVE_MS_MAX,
} from "../../base/limits.ts";
import { CorruptItemError, orCorrupt, UnavailableError } from "../../base/outcome.ts";
import type { Address } from "../../net/address.ts";
import { sharedBy } from "../../net/address-set.ts";
import { noneUnread, type SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { poolOver } from "../../nouns/pool/of-address.ts";
import { assignsPrefixes, cooldownMsOf, type Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { cooldownMsOfSubnet, poolsOfSubnet } from "../../nouns/pool/subnet.ts";
import type { SlotRules } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";
import { answer, RETRY, untilAnswered } from "./compare-and-swap.ts";
import type { Context } from "./context.ts";
import type { CachedConfiguration } from "./warm-cache.ts";

/**
 * Returns the configuration of a space: a copy of at most `CONFIGURATION_FRESH_MS` plus jitter, or an older one whose
 * version was found unchanged. A cold function reads only the configuration, and reads its version with the first
 * refresh.
 */
export async function configurationOf(
  context: Context,
  space: string,
): Promise<SpaceConfiguration> {
  return (await current(context, space)).configuration;
}

/** @returns the configuration, and whether this call itself checked it, so that it is no older than a fresh copy */
async function current(
  context: Context,
  space: string,
): Promise<{ readonly configuration: SpaceConfiguration; readonly asked: boolean }> {
  const { cache } = context;
  const copy = cache.configurationOf(space);
  if (copy && context.now() < copy.freshUntilMs)
    return { configuration: copy.configuration, asked: false };
  const beganAtMs = context.now();
  const under = cache.loading.get(space);
  // One that a frozen function left on its way may have read long ago.
  if (under && beganAtMs - under.beganAtMs < CONFIGURATION_FRESH_MS)
    return { configuration: await under.load, asked: false };
  const load = refreshed(context, space, copy, CONFIGURATION_RELOAD_MS);
  cache.loading.set(space, { beganAtMs, load });
  try {
    const configuration = await load;
    const loadedAtMs = cache.configurationOf(space)?.loadedAtMs ?? 0;
    return { configuration, asked: loadedAtMs >= beganAtMs - CONFIGURATION_FRESH_MS };
  } finally {
    if (cache.loading.get(space)?.load === load) cache.loading.delete(space);
  }
}

/**
 * Returns the pool around an address, including a deleting one. Before it denies a pool, or names one that may have
 * lost the range, or the address to a pool inside of it, it checks the version, which covers every announced change. A change whose operator got no answer is
 * known when the copy is `CONFIGURATION_FRESH_MS` old.
 *
 * @throws {CorruptItemError} if the address may lie in a pool that cannot be read
 */
export async function poolAt(
  context: Context,
  space: string,
  address: Address,
): Promise<Pool | undefined> {
  const { configuration, asked } = await current(context, space);
  const known = poolOver(configuration, address);
  // A pool may have been made of a prefix of this one.
  if (known?.state === "active" && !assignsPrefixes(known)) return known;
  const now = asked
    ? configuration
    : await refreshed(context, space, context.cache.configurationOf(space), CONFIGURATION_FRESH_MS);
  return poolOver(now, address) ?? noneUnread(now);
}

/** Drops this function's copy after a write, and returns when every other function will act on the change. */
export async function announceChange(context: Context, space: string): Promise<number> {
  await raiseVersion(context, space);
  context.cache.dropConfiguration(space);
  return context.now() + EFFECTIVE_MS_MAX;
}

/** Raises the version. A second raise only makes other functions reload twice. */
async function raiseVersion(context: Context, space: string): Promise<void> {
  const exhausted = () => new UnavailableError(LATE);
  return untilAnswered({ triesMax: SWAP_TRIES_MAX, exhausted }, async () => {
    const raised = await orCorrupt(context.store.raiseVersion(space, fresh(context)));
    if (raised instanceof CorruptItemError)
      throw new CorruptItemError(raised.members, `${raised.why}: ${LATE}`, { kind: raised.kind });
    return raised.outcome === "done" ? answer(undefined) : RETRY;
  });
}

const LATE = "the change is made, but other functions may only follow it in a minute";

/** Reads the version. An unreadable version cannot show a change, so the configuration is then read each time. */
async function readVersion({ store }: Context, space: string) {
  const value = await orCorrupt(store.readVersion(space));
  return value instanceof CorruptItemError ? undefined : { value };
}

/** Reads the version, and loads the configuration if the version changed or if the copy is too old. */
async function refreshed(
  context: Context,
  space: string,
  copy: CachedConfiguration | undefined,
  reloadMs: number,
): Promise<SpaceConfiguration> {
  const { store, cache, random } = context;
  const { drops } = cache;
  const askedAtMs = context.now();
  const freshUntilMs =
    askedAtMs + CONFIGURATION_FRESH_MS + random.fraction() * CONFIGURATION_JITTER_MS;
  // The version is read before the configuration, never after: a copy must not be taken for newer than it is.
  const version = copy && (await readVersion(context, space));
  const young = copy && askedAtMs - copy.loadedAtMs < reloadMs;
  const next: CachedConfiguration =
    young && copy.version && version && copy.version.value === version.value
      ? { ...copy, freshUntilMs }
      : {
          configuration: await store.readSpace(space),
          ...(version && { version }),
          loadedAtMs: askedAtMs,
          freshUntilMs,
        };
  if (cache.drops === drops) cache.keepConfiguration(space, next);
  return next.configuration;
}

/** Returns the rules for assigning slots of a pool's blocks now. @throws {CorruptItemError} if a reservation cannot be read */
export function slotRules(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool | undefined,
): SlotRules {
  return {
    ...coolingRules(context, configuration, pool),
    reserved: reservedFor(pool, configuration),
  };
}

/** Returns the rules by which slots of a pool's blocks have cooled. */
export function coolingRules(
  context: Context,
  { settings }: Pick<SpaceConfiguration, "settings">,
  pool: Pool | undefined,
): Omit<SlotRules, "reserved"> {
  return { nowMs: context.now(), cooldownMs: cooldownMsOf(pool, settings) };
}

/** Returns the rules for a block as a whole, whichever pools of its subnet its addresses are of. @throws {CorruptItemError} */
export function blockRules(
  context: Context,
  configuration: SpaceConfiguration,
  subnetId: string,
): SlotRules {
  const pools = poolsOfSubnet(configuration, subnetId);
  const closed = pools.map((pool) => reservedFor(pool, configuration));
  const [first = configuration.reserved, ...others] = closed;
  return {
    nowMs: context.now(),
    cooldownMs: cooldownMsOfSubnet(configuration, subnetId),
    reserved: others.reduce(sharedBy, first),
  };
}
