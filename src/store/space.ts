import { formatCidr, type Interval, merged, parseInterval } from "../domain/cidr.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Pool, Reservation, Settings, SpaceConfiguration } from "../domain/pool.ts";
import { SETTINGS_DEFAULT } from "../domain/settings.ts";
import { absent, equals } from "./clause.ts";
import {
  CONFIG_SK,
  configKey,
  poolKey,
  reservationKey,
  SPACES_PK,
  spaceKey,
  spacePk,
  unescaped,
  versionKey,
} from "./key.ts";
import { legible } from "./legible.ts";
import { withItem } from "./outcome.ts";
import type { Item, Key, Table } from "./table.ts";
import { cidrText, selectorText } from "./text.ts";

/** The configuration of a space: settings, pools and reservations in one partition, one Query. Each method is one call. */
export function spaceItems(table: Table) {
  /** Writes an item over the one of that revision, or where there is none. */
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
    async readSpace(space: string): Promise<SpaceConfiguration> {
      const items = await table.query(spacePk(space));
      const settings = items.find(({ sk }) => sk === CONFIG_SK);
      const reservations = legible(items.filter(isReservation), reservationFrom);
      return {
        settings: settingsFrom(settings?.settings as Partial<StoredSettings> | undefined),
        ...(settings && { settingsRevision: settings.revision as string }),
        pools: legible(items.filter(isPool), poolFrom),
        poolIds: new Set(items.filter(isPool).map(({ id }) => id as string)),
        reservations,
        reserved: merged(reservations.flatMap(({ intervals }) => intervals)),
      };
    },

    async putPool(pool: Pool, seen: Pool | undefined): Promise<Outcome<Pool>> {
      return withItem(await put("put-pool", poolItem(pool), seen?.revision), poolFrom);
    },

    /** Changes a pool exactly as it was seen; `step` names the act. */
    async changePool(step: string, seen: Pool, next: Pool): Promise<Outcome<Pool>> {
      return withItem(await put(step, poolItem(next), seen.revision), poolFrom);
    },

    async deletePool(seen: Pool): Promise<void> {
      await remove("delete-pool", poolKey(seen.space, seen.name), seen.revision);
    },

    async putReservation(
      reservation: Reservation,
      seen: Reservation | undefined,
    ): Promise<Outcome<Reservation>> {
      const item = reservationItem(reservation);
      return withItem(await put("put-reservation", item, seen?.revision), reservationFrom);
    },

    async deleteReservation(seen: Reservation): Promise<Outcome<unknown>> {
      return remove("delete-reservation", reservationKey(seen.space, seen.name), seen.revision);
    },

    async putSettings(
      space: string,
      settings: Settings,
      revision: string,
      seenRevision: string | undefined,
    ): Promise<Outcome<unknown>> {
      const { maxBlocksPerHost } = settings;
      const stored: StoredSettings = { ...settings, maxBlocksPerHost: maxBlocksPerHost ?? NO_CAP };
      const item = { ...configKey(space), settings: { ...stored }, revision };
      return put("put-settings", item, seenRevision);
    },

    /** The value that moves whenever the configuration does. */
    async readVersion(space: string): Promise<string | undefined> {
      return (await table.get(versionKey(space)))?.version as string | undefined;
    },

    async raiseVersion(space: string, version: string): Promise<Outcome<unknown>> {
      const change = { kind: "update", set: [[["version"], version]] } as const;
      return table.write({ step: "raise-version", key: versionKey(space), when: [], change });
    },

    /** Enters a space into the register that the scheduled passes go through. */
    async registerSpace(space: string): Promise<Outcome<unknown>> {
      const key = spaceKey(space);
      const change = { kind: "put", item: { ...key } } as const;
      return table.write({ step: "register-space", key, when: [], change });
    },

    async listSpaces(): Promise<readonly string[]> {
      return (await table.query(SPACES_PK)).map(({ sk }) => unescaped(sk));
    },
  };
}

const unchanged = (step: string, revision: string | undefined) =>
  revision === undefined
    ? absent(`${step}-absent`, "pk")
    : equals(`${step}-rev`, revision, "revision");

type StoredSettings = Omit<Settings, "maxBlocksPerHost"> & { readonly maxBlocksPerHost: number };

/** In the table a setting that is absent has its default, so that none at all is a number. */
const NO_CAP = 0;

function settingsFrom(stored: Partial<StoredSettings> = {}): Settings {
  const { maxBlocksPerHost } = stored;
  return {
    ...SETTINGS_DEFAULT,
    ...stored,
    ...(maxBlocksPerHost === NO_CAP && { maxBlocksPerHost: null }),
  } as Settings;
}

const isPool = ({ sk }: Key) => sk.startsWith("POOL#");
const isReservation = ({ sk }: Key) => sk.startsWith("RESERVATION#");

function poolItem(pool: Pool): Item {
  return {
    ...poolKey(pool.space, pool.name),
    id: pool.id,
    state: pool.state,
    cidr: formatCidr(pool.cidr),
    blockSize: pool.blockSize,
    disabled: pool.disabled,
    assignmentMode: pool.assignmentMode,
    allowedUses: pool.allowedUses,
    ...(pool.nodeSelector && { nodeSelector: pool.nodeSelector.text }),
    ...(pool.namespaceSelector && { namespaceSelector: pool.namespaceSelector.text }),
    ...(pool.cooldownSeconds !== undefined && { cooldownSeconds: pool.cooldownSeconds }),
    borrowing: pool.borrowing,
    ...(pool.routing && { routing: pool.routing }),
    revision: pool.revision,
  };
}

export function poolFrom(item: Item): Pool {
  return {
    ...named(item),
    id: item.id as string,
    state: item.state as Pool["state"],
    cidr: cidrText(item.cidr),
    blockSize: item.blockSize as number,
    disabled: item.disabled as boolean,
    assignmentMode: item.assignmentMode as Pool["assignmentMode"],
    allowedUses: item.allowedUses as Pool["allowedUses"],
    borrowing: item.borrowing as Pool["borrowing"],
    ...(item.nodeSelector !== undefined && { nodeSelector: selectorText(item.nodeSelector) }),
    ...(item.namespaceSelector !== undefined && {
      namespaceSelector: selectorText(item.namespaceSelector),
    }),
    ...(item.cooldownSeconds !== undefined && {
      cooldownSeconds: item.cooldownSeconds as number,
    }),
    ...(item.routing !== undefined && {
      routing: item.routing as NonNullable<Pool["routing"]>,
    }),
    revision: item.revision as string,
  };
}

function reservationItem(reservation: Reservation): Item {
  return {
    ...reservationKey(reservation.space, reservation.name),
    cidrs: reservation.cidrs,
    ...(reservation.reason !== undefined && { reason: reservation.reason }),
    revision: reservation.revision,
  };
}

export function reservationFrom(item: Item): Reservation {
  const cidrs = item.cidrs as readonly string[];
  return {
    ...named(item),
    cidrs,
    intervals: cidrs.map(intervalText),
    ...(item.reason !== undefined && { reason: item.reason as string }),
    revision: item.revision as string,
  };
}

const named = ({ pk, sk }: Key) => ({
  space: unescaped(pk.split("#")[1] as string),
  name: unescaped(sk.slice(sk.indexOf("#") + 1)),
});

function intervalText(text: string): Interval {
  const interval = parseInterval(text);
  if (!interval.ok) throw new Error(`"${text}" ${interval.problem}`);
  return interval.value;
}
