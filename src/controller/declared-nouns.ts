import type { Parameters, PlatClient, Reply } from "../client/index.ts";
import { asSeen, type Seen } from "../client/request.ts";

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
  | "deleteReservation"
  | "readNamespace"
  | "putNamespace"
  | "deleteNamespace"
  | "readApplication"
  | "putApplication"
  | "deleteApplication";

type Plat = Pick<PlatClient, DeclaringCalls>;

/** The name of something that a manifest declares: the kind of the manifest, and its key in its collection. */
export interface DeclaredName {
  readonly kind: string;
  readonly key: string;
}

/** A noun of Plat that manifests declare, and how it is read and written. */
export interface Noun {
  /** The word for it, as the reasons of Events begin: `PoolRejected`. */
  readonly title: "Pool" | "Reservation" | "Namespace" | "Application";
  readonly list: (plat: Plat) => AsyncGenerator<Current>;
  /** Returns the name of one that a list has. */
  readonly nameOf: (current: Current, kind: string) => DeclaredName;
  readonly read: (plat: Plat, name: DeclaredName) => Promise<Reply<Current>>;
  readonly put: (
    plat: Plat,
    name: DeclaredName,
    seen: Seen,
    body: Current,
  ) => Promise<Reply<Current>>;
  readonly remove: (plat: Plat, name: DeclaredName, seen: Seen) => Promise<unknown>;
  /** Returns the fields that a PUT decides. */
  readonly fieldsOf: (seen: Current) => Current;
  /** Returns false if the same PUT has to go on. */
  readonly isWhole: (seen: Current) => boolean;
  /**
   * Returns a body that says by which kind of which cluster it is declared. Without this function nothing says it: the
   * end of a manifest counts only if it was seen.
   */
  readonly marked?: (body: Current, kind: string, cluster: string) => Current;
  /** Returns what is left to do about one without a manifest: a body to put, or its deletion; nothing if all is done. */
  readonly ended: (seen: Current, deletesPools: boolean) => Current | "delete" | undefined;
}

/** The prefix of the labels by which the pools of a controller are known. */
const MARK = "plat-controller";

const always = () => true;

export const POOLS: Noun = {
  title: "Pool",
  async *list({ pages }) {
    for await (const { pools } of pages.listPools()) yield* pools;
  },
  nameOf: named,
  read: (plat, { key: name }) => plat.readPool({ name }),
  put: (plat, { key: name }, seen, body) =>
    plat.putPool({ name, ...asSeen(seen), body: body as Parameters<"putPool">["body"] }),
  remove: (plat, { key: name }, seen) => plat.deletePool({ name, ...asSeen(seen) }),
  fieldsOf: poolFields,
  isWhole: always,
  marked: (body, kind, cluster) => {
    const label = `${MARK}/${kind.toLowerCase()}`;
    return { ...body, labels: { ...(body.labels as object | undefined), [label]: cluster } };
  },
  ended(seen, deletesPools) {
    if (seen.state === "deleting") return undefined;
    if (seen.disabled !== true) return { ...poolFields(seen), disabled: true };
    return deletesPools ? "delete" : undefined;
  },
};

export const RESERVATIONS: Noun = {
  title: "Reservation",
  async *list({ pages }) {
    for await (const { reservations } of pages.listReservations()) yield* reservations;
  },
  nameOf: named,
  read: (plat, { key: name }) => plat.readReservation({ name }),
  put: (plat, { key: name }, seen, body) =>
    plat.putReservation({
      ...{ name, ...asSeen(seen) },
      body: body as Parameters<"putReservation">["body"],
    }),
  remove: (plat, { key: name }, seen) => plat.deleteReservation({ name, ...asSeen(seen) }),
  fieldsOf: withoutName,
  isWhole: always,
  // It has no labels.
  marked: (body, kind, cluster) => ({
    ...body,
    reason: `${kind} of the cluster ${cluster}, kept by ${MARK}`,
  }),
  ended: () => "delete",
};

export const NAMESPACES: Noun = {
  title: "Namespace",
  async *list({ pages }) {
    for await (const { namespaces } of pages.listNamespaces()) yield* namespaces;
  },
  nameOf: named,
  read: (plat, { key: namespace }) => plat.readNamespace({ namespace }),
  put: (plat, { key: namespace }, seen, body) =>
    plat.putNamespace({
      ...{ namespace, ...asSeen(seen) },
      body: body as Parameters<"putNamespace">["body"],
    }),
  remove: (plat, { key: namespace }, seen) => plat.deleteNamespace({ namespace, ...asSeen(seen) }),
  fieldsOf: withoutName,
  isWhole: always,
  ended: () => "delete",
};

export const APPLICATIONS: Noun = {
  title: "Application",
  async *list({ pages }) {
    for await (const { applications } of pages.listApplications()) yield* applications;
  },
  nameOf: ({ namespace, kind, name }) => ({ kind: String(kind), key: `${namespace}/${name}` }),
  read: (plat, of) => plat.readApplication(applicationAt(of)),
  put: (plat, of, seen, body) =>
    plat.putApplication({
      ...{ ...applicationAt(of), ...asSeen(seen) },
      body: body as Parameters<"putApplication">["body"],
    }),
  remove: (plat, of, seen) => plat.deleteApplication({ ...applicationAt(of), ...asSeen(seen) }),
  fieldsOf: ({ replicas, start, addresses }) => ({ replicas, start, addresses }),
  isWhole: ({ complete, state }) => complete === true && state === undefined,
  // One that is being deleted, or that keeps its addresses, has a state.
  ended: ({ state }) => (state === undefined ? "delete" : undefined),
};

function named({ name }: Current, kind: string): DeclaredName {
  return { kind, key: String(name) };
}

function withoutName({ name: _, ...fields }: Current): Current {
  return fields;
}

function poolFields({ name: _, state: __, job: ___, ...fields }: Current): Current {
  return fields;
}

function applicationAt({ kind, key }: DeclaredName) {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, kind, name };
}
