import { assertTexts } from "../../base/assertions.ts";
import { CorruptItemError, type Outcome } from "../../base/outcome.ts";
import { absent, equals } from "../../table/clause.ts";
import {
  address,
  addressSet,
  cidr,
  codec,
  flag,
  id,
  labels,
  list,
  map,
  number,
  optional,
  record,
  selector,
  someOf,
  text,
  textAmong,
  texts,
  withItem,
} from "../../table/codec.ts";
import { assertKeys, readEachByName, readOrNot } from "../../table/format.ts";
import type { Item, Key } from "../../table/item.ts";
import {
  CONFIG_SK,
  configKey,
  planKey,
  poolKey,
  reservationKey,
  spaceAndName,
  spaceIn,
  spacePk,
  versionKey,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { quotaFrom } from "../quota/item.ts";
import { RESERVATION_ITEM, reservationFrom } from "../reservation/item.ts";
import type { Reservation } from "../reservation/reservation.ts";
import { CONFIGURATION, settingsFrom } from "../settings/item.ts";
import { type AttributeIndex, SETTINGS_DEFAULT, type Settings } from "../settings/settings.ts";
import { type AddressPlan, type AddressPlanEntry, assertPlan } from "./address-plan.ts";
import { inNetworks } from "./application-pools.ts";
import { reservedBy, type SpaceConfiguration } from "./configuration.ts";
import type { NetworkRoute } from "./network.ts";
import { ASSIGNMENT_MODES, assertPool, BORROWING, POOL_STATES, type Pool } from "./pool.ts";

/**
 * The calls for the configuration of a space: settings, pools and reservations. They are in one
 * partition, so one Query reads them. Each method is one call to the database.
 */
export function spaceItems(table: Table) {
  /** Writes an item over the one of that revision, or creates it. */
  const put = (step: string, item: Item, seenRevision: string | undefined) =>
    table.write({
      step,
      key: item,
      when: [unchanged(step, seenRevision)],
      change: { kind: "put", item },
    });
  const remove = async (step: string, key: Key, seenRevision: string) =>
    table.write({
      step,
      key,
      when: [unchanged(step, seenRevision)],
      change: { kind: "delete" },
    });

  return {
    /**
     * Returns the configuration of a space. An unreadable item is an error value in it.
     *
     * @throws {CorruptItemError} if the keys of the space have another format
     */
    async readSpace(space: string): Promise<SpaceConfiguration> {
      const items = await table.query(spacePk(space));
      for (const item of items) assertKeys(item);
      const pools = readEachByName(items.filter(isPool), poolFrom);
      const reservations = readEachByName(items.filter(isReservation), reservationFrom);
      const quotas = readEachByName(items.filter(isQuota), quotaFrom);
      const reserved = once(() => reservedBy(reservations.items, inNetworks(pools.items)));
      const config = items.find(({ sk }) => sk === CONFIG_SK);
      const known = once(() => config && readOrNot(config, settingsFrom));
      const settings = () => {
        const read = known();
        if (read instanceof CorruptItemError) throw read;
        return read;
      };
      return {
        get settings() {
          return settings()?.settings ?? SETTINGS_DEFAULT;
        },
        get settingsRevision() {
          return settings()?.revision;
        },
        get indexes() {
          return settings()?.indexes ?? [];
        },
        pools: pools.items,
        unreadablePools: pools.unreadable,
        reservations: reservations.items,
        unreadableReservations: reservations.unreadable,
        get quotas() {
          const [first] = quotas.unreadable;
          if (first) throw first.unreadable;
          return quotas.items;
        },
        readableQuotas: quotas.items,
        unreadableQuotas: quotas.unreadable,
        get reserved() {
          const [first] = reservations.unreadable;
          if (first) throw first.unreadable;
          return reserved();
        },
      };
    },

    async putPool(pool: Pool, seen: Pool | undefined): Promise<Outcome<Pool>> {
      return withItem(await put("put-pool", POOL.item(pool), seen?.revision), poolFrom);
    },

    /** Changes a pool if its revision is the one seen. `step` names the step of the protocol. */
    async changePool(step: string, seen: Pool, next: Pool): Promise<Outcome<Pool>> {
      return withItem(await put(step, POOL.item(next), seen.revision), poolFrom);
    },

    async deletePool(seen: Pool): Promise<Outcome<unknown>> {
      return remove("delete-pool", poolKey(seen.space, seen.name), seen.revision);
    },

    async putReservation(
      reservation: Reservation,
      seen: Reservation | undefined,
    ): Promise<Outcome<Reservation>> {
      const item = RESERVATION_ITEM.item(reservation);
      return withItem(await put("put-reservation", item, seen?.revision), reservationFrom);
    },

    async deleteReservation(seen: Reservation): Promise<Outcome<unknown>> {
      return remove("delete-reservation", reservationKey(seen.space, seen.name), seen.revision);
    },

    /** @param indexes those of the settings' indexed attributes, with the times since when they are set */
    async putSettings(
      space: string,
      { indexes = [], ...settings }: Settings & { readonly indexes?: readonly AttributeIndex[] },
      revision: string,
      seenRevision: string | undefined,
    ): Promise<Outcome<unknown>> {
      const since = indexes.flatMap(({ attribute, sinceMs }) =>
        sinceMs === undefined ? [] : [[attribute, sinceMs] as const],
      );
      const item = CONFIGURATION.item({
        space,
        settings,
        ...(since.length > 0 && { indexedSince: Object.fromEntries(since) }),
        indexes,
        revision,
      });
      return withItem(await put("put-settings", item, seenRevision), settingsFrom);
    },

    async deleteSettings(space: string, seenRevision: string): Promise<Outcome<unknown>> {
      return remove("delete-settings", configKey(space), seenRevision);
    },

    /**
     * Returns the value that changes with every change of the configuration. @throws
     * {CorruptItemError}
     */
    async readVersion(space: string): Promise<string | undefined> {
      const item = await table.get(versionKey(space));
      return item && versionFrom(item);
    },

    async raiseVersion(space: string, version: string): Promise<Outcome<unknown>> {
      assertTexts({ version });
      const change = VERSION.update({ version });
      const key = versionKey(space);
      return withItem(
        await table.write({ step: "raise-version", key, when: [], change }),
        versionFrom,
      );
    },
  };
}

/** Returns a function that makes its value at the first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const unchanged = (step: string, revision: string | undefined) =>
  revision === undefined
    ? absent(`${step}-absent`, "pk")
    : equals(`${step}-rev`, revision, "revision");

const isPool = ({ sk }: Key) => sk.startsWith("POOL#");
const isQuota = ({ sk }: Key) => sk.startsWith("QUOTA#");
const isReservation = ({ sk }: Key) => sk.startsWith("RESERVATION#");

const VERSION = codec<{ readonly space: string; readonly version: string }, "space">({
  key: ({ space }) => versionKey(space),
  named: (key) => ({ space: spaceIn(key) }),
  attributes: { version: id },
});
export const versionFrom = (item: Item): string => VERSION.from(item).version;

const POOL = codec<Pool, "space" | "name">({
  key: ({ space, name }) => poolKey(space, name),
  named: spaceAndName,
  attributes: {
    id,
    state: textAmong(POOL_STATES),
    cidr,
    assign: optional(textAmong(["prefixes"])),
    parent: optional(text),
    parentId: optional(id),
    blockSize: number,
    disabled: flag,
    assignmentMode: textAmong(ASSIGNMENT_MODES),
    allowedUses: someOf(),
    nodeSelector: optional(selector),
    namespaceSelector: optional(selector),
    podSelector: optional(selector),
    nodeNames: optional(texts),
    namespaceNames: optional(texts),
    networks: optional(texts),
    principals: optional(texts),
    cooldownSeconds: optional(number),
    borrowing: textAmong(BORROWING),
    ranges: optional(addressSet),
    excludes: optional(addressSet),
    kind: optional(textAmong(["subnet"])),
    prefixLength: optional(number),
    gateway: optional(address),
    routes: optional(list(record<NetworkRoute>({ dst: cidr, gw: address }))),
    dns: optional(list(address)),
    domain: optional(text),
    vlan: optional(number),
    mtu: optional(number),
    labels: optional(labels),
    subnetId: optional(id),
    adding: optional(addressSet),
    retiring: optional(addressSet),
    routing: optional(map()),
    description: optional(text),
    tags: optional(texts),
    revision: id,
  },
  assert: assertPool,
});
export const poolFrom = POOL.from;

/**
 * The calls for the address plan: every range of a space in one item. Each method is one call to
 * the database.
 */
export function planItems(table: Table) {
  return {
    async readPlan(space: string): Promise<AddressPlan> {
      const item = await table.get(planKey(space));
      return item ? planFrom(item) : { space, entries: [] };
    },

    async changePlan(
      seen: AddressPlan,
      entries: AddressPlan["entries"],
      revision: string,
    ): Promise<Outcome<AddressPlan>> {
      const item = PLAN.item({ space: seen.space, entries, revision });
      const outcome = await table.write({
        step: "change-plan",
        key: item,
        when: [
          seen.revision === undefined
            ? absent("plan-absent", "pk")
            : equals("plan-rev", seen.revision, "revision"),
        ],
        change: { kind: "put", item },
      });
      return withItem(outcome, planFrom);
    },
  };
}

/** The plan of a space has a revision from its first pool on, which is when its item begins. */
const PLAN = codec<Required<AddressPlan>, "space">({
  key: ({ space }) => planKey(space),
  named: (key) => ({ space: spaceIn(key) }),
  attributes: {
    entries: list(
      record<AddressPlanEntry>({
        pool: text,
        id,
        subnetId: optional(id),
        parentId: optional(id),
        cidr,
        blockSize: number,
      }),
    ),
    revision: id,
  },
  assert: assertPlan,
});
export const planFrom = PLAN.from;
