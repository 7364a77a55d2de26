import { isRecord } from "../../api/schema/schema.ts";
import { type KubeApi, KubeError, type KubeRequest } from "./api.ts";
import { backoffMs, type Waits } from "./waits.ts";

export const OBJECTS_PER_PAGE = 500;
const WATCH_SECONDS_MIN = 240;
const WATCH_SECONDS_SPREAD = 240;
const RETRY = { firstMs: 200, mostMs: 30_000 };
const GONE = 410;

/** An object of a cluster, as far as a reflector needs it. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    /** Absent for an object without one. */
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** An owner of an object, as its metadata name it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Returns the key of an object in its collection: its name, behind its namespace if it has one. */
export const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The collection that a reflector follows, and whom it tells. */
export interface Following<T extends KubeObject> {
  /** The path of the collection, such as `/api/v1/nodes`. */
  readonly path: string;
  /** The fields that an object must have, such as `status.phase=Failed`; absent for every object. */
  readonly fieldSelector?: string;
  /** True if objects are read without what is not their metadata. */
  readonly metadataOnly?: boolean;
  /** Returns what is kept of an object. */
  readonly keep: (object: T) => T;
  /** Called with an object that is new or has changed. */
  readonly present: (object: T) => void;
  /** Called with an object as it was last. Its resourceVersion is that at which it was gone. */
  readonly gone: (object: T) => void;
  /** Called after each list. */
  readonly listed: () => void;
  /** Called when a list or a watch fails. */
  readonly failed: (error: unknown) => void;
}

/**
 * Follows a collection of objects, of all namespaces: it lists them, and then watches for changes. It lists again only
 * if the server no longer has the changes in between. It then finds deletions by comparing. Nothing ends it but its signal.
 */
export class Reflector<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #api: KubeApi;
  readonly #of: Following<T>;
  readonly #waits: Waits;
  /** The version that the objects are at, to watch from. */
  #version: string | undefined;
  #isListed = false;
  #heardAtMs: number;
  #failures = 0;

  constructor(api: KubeApi, of: Following<T>, waits: Waits) {
    this.#api = api;
    this.#of = of;
    this.#waits = waits;
    this.#heardAtMs = waits.now();
  }

  /** The objects by their keys. */
  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  /** The version at which the objects were all objects; nothing before the first list and while it lists again. */
  get version(): string | undefined {
    return this.#version;
  }

  /** True after the first list. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** The time at which the server was last heard: a list, the start of a watch, or a line of one. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list(signal);
        const isSilent = !(await this.#watch(this.#version, signal));
        // A server, or a proxy, that ends each watch at once must not be asked without a pause.
        if (isSilent) await this.#pause(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof KubeError && error.status === GONE) this.#version = undefined;
        this.#of.failed(error);
        await this.#pause(signal, error instanceof KubeError ? error.retryAfterMs : undefined);
      }
    }
  }

  async #pause(signal: AbortSignal, askedMs = 0): Promise<void> {
    const ms = backoffMs(this.#failures++, RETRY, this.#waits.random());
    await this.#waits.sleep(Math.max(ms, askedMs), signal);
  }

  /** Lists all objects, and tells what changed since the last list. Returns the version of the list. */
  async #list(signal: AbortSignal): Promise<string> {
    const found = new Map<string, T>();
    let version: string | undefined;
    for (let from = ""; version === undefined; ) {
      const query = { limit: String(OBJECTS_PER_PAGE), ...(from && { continue: from }) };
      const page = await this.#api.send<ListPage<T>>(this.#request(query), signal);
      this.#heardAtMs = this.#waits.now();
      for (const object of page.items ?? []) found.set(keyOf(object), this.#of.keep(object));
      from = page.metadata.continue ?? "";
      if (from === "") version = page.metadata.resourceVersion;
    }
    for (const [key, known] of this.#objects)
      if (found.get(key)?.metadata.uid !== known.metadata.uid) this.#remove(known, version);
    for (const object of found.values()) this.#put(object);
    this.#isListed = true;
    this.#of.listed();
    return version;
  }

  /** Watches until the server ends it. Returns true if it told anything. */
  async #watch(from: string, signal: AbortSignal): Promise<boolean> {
    const seconds = WATCH_SECONDS_MIN + Math.floor(WATCH_SECONDS_SPREAD * this.#waits.random());
    const query = {
      watch: "1",
      allowWatchBookmarks: "true",
      resourceVersion: from,
      timeoutSeconds: String(seconds),
    };
    const lines = await this.#api.lines(this.#request(query), signal);
    const openedAtMs = this.#waits.now();
    this.#heardAtMs = openedAtMs;
    let hasTold = false;
    try {
      for await (const line of lines) {
        this.#apply(JSON.parse(line));
        this.#heardAtMs = this.#waits.now();
        this.#failures = 0;
        hasTold = true;
      }
    } finally {
      // A watch of objects that do not change tells nothing, and is no failure.
      if (this.#waits.now() - openedAtMs >= RETRY.mostMs) this.#failures = 0;
    }
    return hasTold;
  }

  #request(query: Readonly<Record<string, string>>): KubeRequest {
    const { path, fieldSelector, metadataOnly = false } = this.#of;
    return { path, metadataOnly, query: { ...query, ...(fieldSelector && { fieldSelector }) } };
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (type === "ERROR") throw errorIn(object);
    if (type === "DELETED") this.#remove(this.#of.keep(object), object.metadata.resourceVersion);
    else if (type !== "BOOKMARK") this.#put(this.#of.keep(object));
    this.#version = object.metadata.resourceVersion;
  }

  #put(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    const known = this.#objects.get(keyOf(object))?.metadata;
    if (known?.uid === uid && known.resourceVersion === resourceVersion) return;
    this.#objects.set(keyOf(object), object);
    this.#of.present(object);
  }

  #remove(object: T, resourceVersion: string): void {
    const { metadata } = object;
    if (this.#objects.get(keyOf(object))?.metadata.uid === metadata.uid)
      this.#objects.delete(keyOf(object));
    this.#of.gone({ ...object, metadata: { ...metadata, resourceVersion } });
  }
}

/** A page of a list. */
export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** Null in an empty list of metadata alone. */
  readonly items: readonly T[] | null;
}

interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

function errorIn(status: unknown): KubeError {
  const { code = 0, reason = "", message = "the watch failed" } = isRecord(status) ? status : {};
  return new KubeError(Number(code), String(reason), String(message));
}
