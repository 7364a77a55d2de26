import type { KubeObject } from "./kube/reflector.ts";
import type { Waits } from "./kube/waits.ts";

/** A replica that does not lead forgets an end after this time. A leader has told it by then, or has lost its Lease. */
export const FOLLOWED_MS_MAX = 10 * 60_000;

interface Gone<T> {
  readonly object: T;
  readonly atMs: number;
}

/** Objects that are gone, by their names, until Plat knows it. Several can have had one name, one after the other. */
export class GoneObjects<T extends KubeObject> {
  readonly #waits: Waits;
  readonly #byName = new Map<string, readonly Gone<T>[]>();
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
    return (this.#byName.get(name) ?? []).map(({ object }) => object);
  }

  add(object: T): void {
    if (!this.#isLeading) this.#forgetLate();
    const { name } = object.metadata;
    const atMs = this.#waits.now();
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), { object, atMs }]);
  }

  delete(object: T): void {
    this.#keep(object.metadata.name, (one) => one.object !== object);
  }

  /** Forgets nothing from now on, because this replica tells Plat of them. */
  lead(): void {
    this.#forgetLate();
    this.#isLeading = true;
  }

  #forgetLate(): void {
    const nowMs = this.#waits.now();
    for (const name of [...this.#byName.keys()])
      this.#keep(name, ({ atMs }) => nowMs - atMs <= FOLLOWED_MS_MAX);
  }

  #keep(name: string, isKept: (one: Gone<T>) => boolean): void {
    const left = (this.#byName.get(name) ?? []).filter(isKept);
    if (left.length > 0) this.#byName.set(name, left);
    else this.#byName.delete(name);
  }
}
