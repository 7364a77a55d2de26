import { platItself } from "../base/actor.ts";
import type { EventType } from "../base/event-type.ts";
import type { SlotOwner } from "../kernel/allocations/allocation-of-slot.ts";
import { type Allocation, isHolding } from "../kernel/values/allocation.ts";
import { allocationStartIn } from "../kernel/values/fresh.ts";
import type { ItemChange } from "../table/change-log.ts";
import { actorIn } from "../table/signed-table.ts";
import { type AddressDetail, addressDetailOf, ownedDetail } from "./address-detail.ts";
import type { DomainEvent } from "./domain-event.ts";
import type { Draft } from "./draft.ts";
import type { EntryPosition, Holder } from "./history.ts";
import type { Json } from "./json.ts";
import { domainEventOf, type Sources, type ToldChange } from "./told.ts";

type SlotDraft = Extract<Draft, { readonly kind: "slot" }>;
type OwnerDraft = Extract<Draft, { readonly kind: "owner" }>;
type UnleasedDraft = Extract<Draft, { readonly kind: "unleased" }>;

/** An owner that a change names: as it was before the change, or as it is since. */
export interface OwnerThen {
  readonly sequence: string;
  readonly owner: SlotOwner;
}

/** Makes the events of one address, in the order of its changes. */
export class AddressTeller {
  /** The owners in the changes that are told together, by token, the later ones last. */
  readonly #owners: ReadonlyMap<string, readonly OwnerThen[]>;
  readonly #sources: Sources;
  /** The owner of the address: null if nobody has it, and absent if that is not known yet. */
  #holder: Holder | null | undefined;

  constructor(owners: ReadonlyMap<string, readonly OwnerThen[]>, sources: Sources) {
    this.#owners = owners;
    this.#sources = sources;
  }

  async slot(change: ItemChange, draft: SlotDraft): Promise<ToldChange> {
    const { block, event } = draft;
    const { space } = block;
    const place = addressDetailOf(block, event.ordinal);
    const { address } = place;
    const type = typeOf(draft);
    const position = { ...change, address, type };
    const found = await this.#ownerAt(draft, position);
    const detail = found ?? { ...place, handleHash: event.handleHash };
    const make = (type: EventType, more: object = {}): DomainEvent =>
      domainEventOf(change, { type, space, subject: address, detail: { ...detail, ...more } });
    const kept = { space, address, handleHash: event.handleHash };
    if (event.kind === "assigned") {
      const entry = make(type);
      this.#holder = { token: event.token, detail };
      return {
        change,
        events: [entry],
        ...(found ? { assigned: event.token } : { lacksOwner: true }),
        kept: { ...kept, holder: this.#holder },
      };
    }
    this.#holder = null;
    const reason = isExpiry(change, detail) ? "expired" : event.reason;
    const entry = make(type, { reason });
    const further = block.whole ? undefined : FURTHER[reason];
    return {
      change,
      events: [entry, ...(further ? [make(further)] : [])],
      kept: { ...kept, holder: null },
    };
  }

  async owner(change: ItemChange, draft: OwnerDraft): Promise<ToldChange> {
    const { space, handleHash, token, detail } = draft;
    const { address } = detail;
    const entry = domainEventOf(change, {
      type: "AddressChanged",
      space,
      subject: address,
      detail,
    });
    const before = await this.#holderOf(space, address);
    const isOfHolder = before?.token === token;
    if (before && isOfHolder)
      this.#holder = {
        token,
        detail: { ...without(before.detail, draft.takenOff), ...draft.changed },
      };
    const holder = isOfHolder && this.#holder ? { holder: this.#holder } : {};
    return { change, events: [entry], kept: { space, address, handleHash, ...holder } };
  }

  async unleased(change: ItemChange, draft: UnleasedDraft): Promise<ToldChange> {
    const { space, handleHash, token, address } = draft;
    const before = await this.#holderOf(space, address);
    if (before?.token !== token) return { change, events: [] };
    const { expiresAt: _, ...detail } = before.detail;
    this.#holder = { token, detail };
    return { change, events: [], kept: { space, address, handleHash, holder: this.#holder } };
  }

  /** Looks for the owner of a slot, first where it costs nothing. */
  async #ownerAt(
    { block, event }: SlotDraft,
    position: EntryPosition,
  ): Promise<AddressDetail | undefined> {
    const { space } = block;
    const { token, handleHash, ordinal } = event;
    const { history, store } = this.#sources;
    const owned = (owner: SlotOwner) => ownedDetail(owner, block, ordinal);

    // Later changes of the owner may be told together with that of the slot. An assignment has the times of its answer,
    // which the write after all slots sets.
    const told = this.#owners.get(token) ?? [];
    const holding = told.filter(({ owner }) => isHolding(owner.allocation));
    const owners = holding.length > 0 ? holding : told;
    const then = owners.findLast(({ sequence }) => sequence <= position.sequence) ?? owners[0];
    // The write that sets these times may be told later than the slots.
    const isEarly = event.kind === "assigned" && holding.length === 0;
    if (then && !isEarly) return owned(then.owner);
    if (event.kind === "released") {
      const holder = await this.#holderOf(space, position.address);
      if (holder?.token === token && hasOwner(holder.detail)) return holder.detail;
    }
    const start = allocationStartIn(token);
    const { items } = await store.allocationsFrom(space, handleHash, start);
    const found =
      ownerIn(items, token) ??
      then?.owner ??
      ownerIn(await history.listCopies(space, handleHash, start), token);
    if (found) return owned(found);
    // The change was told before, when more was known.
    const before = await history.readEntry({ space, address: position.address }, position);
    return before && hasOwner(before) ? detailIn(before) : undefined;
  }

  async #holderOf(space: string, address: string): Promise<Holder | null> {
    // `null` is known: nobody has the address.
    if (this.#holder === undefined)
      this.#holder = (await this.#sources.history.readHolder(space, address)) ?? null;
    return this.#holder;
  }
}

const typeOf = ({ block, event }: SlotDraft): EventType =>
  event.kind === "assigned"
    ? block.whole
      ? "PrefixAssigned"
      : "AddressAssigned"
    : block.whole
      ? "PrefixReleased"
      : "AddressReleased";

/** The event beside `AddressReleased` that tells why. A consumer of releases alone sees all of them. */
const FURTHER: Readonly<Record<string, EventType>> = {
  expired: "AddressExpired",
  conflict: "AddressConflict",
};

/** Returns true if the repair run freed an address whose lease was over. The time of a change is rounded down to a second. */
const isExpiry = (change: ItemChange, { expiresAt }: AddressDetail): boolean =>
  typeof expiresAt === "string" &&
  actorIn(change.after ?? change.before)?.principal === platItself("repair") &&
  Math.floor(Date.parse(expiresAt) / 1_000) * 1_000 <= change.atMs;

const hasOwner = ({ handle }: Readonly<Record<string, unknown>>): boolean => handle !== undefined;

function ownerIn(allocations: readonly Allocation[], token: string): SlotOwner | undefined {
  for (const allocation of allocations)
    for (const part of allocation.parts) if (part.token === token) return { allocation, part };
  return undefined;
}

/** Returns what an entry tells of its address. */
const detailIn = (entry: Readonly<Record<string, Json>>): AddressDetail =>
  without(entry as AddressDetail, OF_EVENTS);

/** Returns the fields of an address without some. Its name is none of these. */
const without = (fields: AddressDetail, names: readonly string[]): AddressDetail =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.includes(name)),
  ) as AddressDetail;

/** The fields of an event that are not those of its address. */
const OF_EVENTS: readonly string[] = [
  ...["id", "type", "at", "sequence", "space", "reason"],
  ...["principal", "requestId", "sourceIp"],
];
