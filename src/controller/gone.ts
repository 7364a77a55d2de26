import type { KubeObject } from "./kube/reflector.ts";
import type { Waits } from "./kube/waits.ts";

/**
 * The time after which a replica that does not lead forgets an end. The leader may not have reached Plat for hours. What has its name
 * days later is somebody else's.
 */
export const FOLLOWED_MS_MAX = 6 * 60 * 60_000;
/** The ends that a replica keeps while it does not lead. The earliest ones are forgotten. */
const FOLLOWED_MAX = 2_000;

/** Objects that are gone, by their names, until Plat knows it. Several can have had one name, one after the other. */
export class GoneObjects<T extends KubeObject> {
  readonly #waits: Waits;
  readonly #byName = new Map<string, readonly T[]>();
  /** The times at which they were seen to be gone, the earliest first. */
  readonly #since = new Map<T, number>();
  #isLeading = false;

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** The names of the objects. */
  get names(): Iterable<string> {
    return this.#byName.keys();
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Returns the objects of a name, the first to go first. */
  of(name: string): readonly T[] {
    return this.#byName.get(name) ?? [];
  }

  add(object: T): void {
    const { name } = object.metadata;
    this.#byName.set(name, [...this.of(name), object]);
    this.#since.set(object, this.#waits.now());
    if (!this.#isLeading) this.#forgetEarly();
  }

  delete(object: T): void {
    const { name } = object.metadata;
    const left = this.of(name).filter((one) => one !== object);
    if (left.length > 0) this.#byName.set(name, left);
    else this.#byName.delete(name);
    this.#since.delete(object);
  }

  /** Forgets nothing from now on, because this replica tells Plat of them. */
  lead(): void {
    this.#forgetEarly();
    this.#isLeading = true;
  }

  #forgetEarly(): void {
    const nowMs = this.#waits.now();
    for (const [object, atMs] of this.#since) {
      if (nowMs - atMs <= FOLLOWED_MS_MAX && this.#since.size <= FOLLOWED_MAX) return;
      this.delete(object);
    }
  }
}
