import { asSeen, type Seen } from "../client/as-seen.ts";
import type { Parameters, PlatClient, Reply } from "../client/index.ts";

/** Something that Plat has, as it answers a GET. */
export type Current = Readonly<Record<string, unknown>>;

/** The calls of Plat about what manifests declare. */
export type DeclaringCalls =
  | "pages"
  | "readPool"
  | "putPool"
  | "deletePool"
  | "readReservation"
  | "putReservation"
  | "deleteReservation";

type Plat = Pick<PlatClient, DeclaringCalls>;

/** A noun of Plat that manifests declare, and how it is read and written. */
export interface Noun {
  /** The word for it, as the reasons of Events begin: `PoolRejected`. */
  readonly title: "Pool" | "Reservation";
  readonly list: (plat: Plat) => AsyncGenerator<Current>;
  readonly read: (plat: Plat, name: string) => Promise<Reply<Current>>;
  readonly put: (plat: Plat, name: string, seen: Seen, body: Current) => Promise<unknown>;
  readonly remove: (plat: Plat, name: string, seen: Seen) => Promise<unknown>;
  /** Returns a body that says by which kind of which cluster it is declared. */
  readonly marked: (body: Current, kind: string, cluster: string) => Current;
  /** Returns what is left to do about one without a manifest: a body to put, or its deletion; nothing if all is done. */
  readonly ended: (seen: Current, deletesPools: boolean) => Current | "delete" | undefined;
}

/** The prefix of the labels by which the pools of a controller are known. */
const MARK = "plat-controller";

export const POOLS: Noun = {
  title: "Pool",
  async *list({ pages }) {
    for await (const { pools } of pages.listPools()) yield* pools;
  },
  read: (plat, name) => plat.readPool({ name }),
  put: (plat, name, seen, body) =>
    plat.putPool({ name, ...asSeen(seen), body: body as Parameters<"putPool">["body"] }),
  remove: (plat, name, seen) => plat.deletePool({ name, ...asSeen(seen) }),
  marked: (body, kind, cluster) => {
    const label = `${MARK}/${kind.toLowerCase()}`;
    return { ...body, labels: { ...(body.labels as object | undefined), [label]: cluster } };
  },
  ended(seen, deletesPools) {
    if (seen.state === "deleting") return undefined;
    if (seen.disabled !== true) return { ...fieldsOf(seen), disabled: true };
    return deletesPools ? "delete" : undefined;
  },
};

export const RESERVATIONS: Noun = {
  title: "Reservation",
  async *list({ pages }) {
    for await (const { reservations } of pages.listReservations()) yield* reservations;
  },
  read: (plat, name) => plat.readReservation({ name }),
  put: (plat, name, seen, body) =>
    plat.putReservation({
      ...{ name, ...asSeen(seen) },
      body: body as Parameters<"putReservation">["body"],
    }),
  remove: (plat, name, seen) => plat.deleteReservation({ name, ...asSeen(seen) }),
  // It has no labels.
  marked: (body, kind, cluster) => ({
    ...body,
    reason: `${kind} of the cluster ${cluster}, kept by ${MARK}`,
  }),
  ended: () => "delete",
};

/** Returns the fields of something in Plat that a PUT decides. */
export const fieldsOf = ({ name: _, state: __, job: ___, ...fields }: Current): Current => fields;
