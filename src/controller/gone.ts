import type { KubeObject } from "./kube/reflector.ts";

/** The ends that a replica keeps while it does not lead. The earliest ones are forgotten. */
const FOLLOWED_MAX = 2_000;

/**
 * Objects that are gone, by their names, until Plat knows it. Several can have had one name, one after the other. A replica that
 * does not lead keeps what the leader may have told already: it cannot know for how long that one has not reached Plat.
 */
export class GoneObjects<T extends KubeObject> {
  readonly #byName = new Map<string, readonly T[]>();
  /** The earliest first. */
  readonly #objects = new Set<T>();
  #isLeading = false;

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
    this.#objects.add(object);
    const [earliest] = this.#objects;
    if (earliest && !this.#isLeading && this.#objects.size > FOLLOWED_MAX) this.delete(earliest);
  }

  delete(object: T): void {
    const { name } = object.metadata;
    const left = this.of(name).filter((one) => one !== object);
    if (left.length > 0) this.#byName.set(name, left);
    else this.#byName.delete(name);
    this.#objects.delete(object);
  }

  /** Forgets nothing from now on, because this replica tells Plat of them. */
  lead(): void {
    this.#isLeading = true;
  }
}
