import { SLOTS_PER_WRITE_MAX } from "../../base/limits.ts";
import type { Outcome } from "../../base/outcome.ts";
import { formatCidr } from "../../net/cidr.ts";
import { type Store, withCalls } from "../core/store.ts";
import type { Block } from "../values/block.ts";
import type { TakeNotes } from "../values/block-changes.ts";
import {
  type SlotsToFree,
  type SlotsToTake,
  showsAsSeen,
  showsAsTaken,
} from "../values/slot-writes.ts";

/**
 * Returns a store in which slot writes to one block share a write. It waits for those that are on the way to it. While it is under way,
 * others wait, and the next one carries them. It is made whole or not at all. Each author sees the shared write as its own. If `done`, its condition held, and its change
 * was made. If `lost`, nothing of it was written. If `unknown`, it may still happen.
 *
 * If a shared write is lost, only those whose slots are not as they were seen are told so. The others are written again.
 *
 * @param gathered returns when nobody is on the way to a block to take slots of it; nothing if nobody is now
 */
export function sharingSlotWrites(
  store: Store,
  gathered: (block: string) => Promise<void> | undefined,
): Store {
  const turns = new Map<string, Turns>();
  const turnsOf = ({ space, cidr }: Place): Turns => {
    const name = formatCidr(cidr);
    const known = turns.get(name) ?? new Turns(store, { space, cidr }, () => gathered(name));
    turns.set(name, known);
    return known;
  };
  return withCalls(store, {
    takeSlots: (learned, takes, revision, notes = {}) =>
      turnsOf(learned).write({ kind: "take", epoch: learned.epoch, takes, revision, notes }),
    freeSlots: (block, frees, revision) => turnsOf(block).write({ kind: "free", frees, revision }),
  });
}

type Place = Pick<Block, "space" | "cidr">;

type SlotWrite =
  | {
      readonly kind: "take";
      readonly epoch: string;
      readonly takes: readonly SlotsToTake[];
      readonly revision: string;
      readonly notes: TakeNotes;
    }
  | { readonly kind: "free"; readonly frees: readonly SlotsToFree[]; readonly revision: string };

interface Waiting {
  readonly write: SlotWrite;
  readonly resolve: (outcome: Outcome<Block>) => void;
  readonly reject: (error: unknown) => void;
}

/** The slot writes to one block, one after another. */
class Turns {
  readonly #store: Store;
  readonly #place: Place;
  readonly #gathered: () => Promise<void> | undefined;
  #waiting: readonly Waiting[] = [];
  #isWriting = false;

  constructor(store: Store, place: Place, gathered: () => Promise<void> | undefined) {
    this.#store = store;
    this.#place = place;
    this.#gathered = gathered;
  }

  write(write: SlotWrite): Promise<Outcome<Block>> {
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { write, resolve, reject }];
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      await this.#gathered();
      const together = fitting(this.#waiting);
      this.#waiting = this.#waiting.filter((each) => !together.includes(each));
      await this.#writeTogether(together);
    }
    this.#isWriting = false;
  }

  async #writeTogether(together: readonly Waiting[]): Promise<void> {
    try {
      const outcome = await this.#send(together.map(({ write }) => write));
      const again = outcome.outcome === "lost" ? notToBlame(together, outcome.item) : [];
      for (const each of together) if (!again.includes(each)) each.resolve(outcome);
      this.#waiting = [...again, ...this.#waiting];
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  /** Writes all of them under the revision of the first. All are of its kind. */
  #send(writes: readonly SlotWrite[]): Promise<Outcome<Block>> {
    const [first] = writes as readonly [SlotWrite];
    const { revision } = first;
    if (first.kind === "free") {
      const frees = writes.flatMap((each) => (each.kind === "free" ? each.frees : []));
      return this.#store.freeSlots(this.#place, frees, revision);
    }
    const takes = writes.flatMap((each) => (each.kind === "take" ? each.takes : []));
    const notes = writes.flatMap((each) => (each.kind === "take" ? each.notes : []));
    // The one that was learned last has the fewest left.
    const [filling] = notes
      .flatMap(({ filling = [] }) => filling)
      .toSorted((a, b) => a.left - b.left);
    const leased = notes.find((each) => each.leased)?.leased;
    const place = { ...this.#place, epoch: first.epoch };
    return this.#store.takeSlots(place, takes, revision, { filling, leased });
  }
}

/** Returns those that one write can carry with the first: of its kind and epoch, for other slots, and not too many. */
function fitting(waiting: readonly Waiting[]): readonly Waiting[] {
  const [first] = waiting as readonly [Waiting];
  const together: Waiting[] = [];
  const ordinals = new Set<number>();
  for (const each of waiting) {
    const own = ordinalsOf(each.write);
    const isAlike = each.write.kind === first.write.kind && epochOf(each) === epochOf(first);
    const isFree = own.every((ordinal) => !ordinals.has(ordinal));
    const hasRoom = together.length === 0 || ordinals.size + own.length <= SLOTS_PER_WRITE_MAX;
    if (!isAlike || !isFree || !hasRoom) continue;
    together.push(each);
    for (const ordinal of own) ordinals.add(ordinal);
  }
  return together;
}

const epochOf = ({ write }: Waiting) => (write.kind === "take" ? write.epoch : undefined);

const ordinalsOf = (write: SlotWrite): readonly number[] =>
  write.kind === "take"
    ? write.takes.flatMap(({ slots }) => slots.map(({ ordinal }) => ordinal))
    : write.frees.flatMap(({ freed }) => [...freed.keys()]);

/** Returns those of a lost write that the block would still permit; none if it permits all, so that no write is sent for ever. */
function notToBlame(together: readonly Waiting[], block: Block | undefined): readonly Waiting[] {
  const permitted = together.filter(({ write }) => block && isPermitted(write, block));
  return permitted.length === together.length ? [] : permitted;
}

function isPermitted(write: SlotWrite, block: Block): boolean {
  if (block.unreadable) return false;
  return write.kind === "free"
    ? write.frees.every((free) => showsAsTaken(block, free))
    : write.epoch === block.epoch && write.takes.every((take) => showsAsSeen(block, take));
}
