import type { Listed, ListedPage, PageWanted } from "../../../base/listed.ts";
import type { Outcome } from "../../../base/outcome.ts";
import type { DueTombstone } from "../../../nouns/node/tombstone.ts";
import type { Budget, BudgetNamed, GiveBackMark } from "../../../nouns/quota/budget.ts";
import type { Allocation, Due, FreedMark, KeptMark } from "../../values/allocation.ts";
import type { AllocationPlace } from "../../values/allocation-place.ts";
import type { AllocationStart } from "../../values/fresh.ts";
import type { IndexEntry, IndexedValue } from "../../values/index-entry.ts";
import type { QuotaSlot } from "../../values/quota-slot.ts";

/** Reads and writes allocations, and the quota slots of handles with a limit. */
export interface AllocationStore {
  readAllocation(place: AllocationPlace): Promise<Allocation | undefined>;
  listAllocations(
    space: string,
    handleHash: string,
    asked?: { readonly after?: AllocationPlace | undefined; readonly limit?: number },
  ): Promise<readonly Allocation[]>;

  /** Lists the allocations whose ids begin with a text, or all. It names those that cannot be read beside the others. */
  allocationsFrom(
    space: string,
    handleHash: string,
    start: AllocationStart | undefined,
  ): Promise<Listed<Allocation>>;

  /** Lists a page of allocations, and names those that cannot be read beside the others. */
  listAllocationPage(
    space: string,
    handleHash: string,
    page: PageWanted<AllocationPlace>,
  ): Promise<ListedPage<Allocation, AllocationPlace>>;
  createAllocation(allocation: Allocation): Promise<Outcome<Allocation>>;
  changeAllocation(step: string, seen: Allocation, next: Allocation): Promise<Outcome<Allocation>>;
  deleteAllocation(step: string, seen: Allocation): Promise<Outcome<unknown>>;
  /** Returns the allocation if this call deleted it. */
  deleteAllocationOfToken(place: AllocationPlace, token: string): Promise<Allocation | undefined>;
  markDue(place: AllocationPlace, token: string, dueAtMs: number): Promise<void>;
  keepAllocation(place: AllocationPlace, kept: KeptMark): Promise<Outcome<Allocation>>;
  markFreed(place: AllocationPlace, token: string, freed: FreedMark): Promise<Outcome<Allocation>>;
  dueAllocations(
    shard: number,
    page: { readonly untilMs: number; readonly limit: number; readonly after?: Due | DueTombstone },
  ): Promise<readonly (Due | DueTombstone)[]>;
  /** Eventually consistent. */
  readIndexEntry(entry: IndexEntry): Promise<IndexEntry | undefined>;

  /** Lists a page of the entries of a value in a shard, and names those that cannot be read beside the others. */
  listIndexEntries(
    value: IndexedValue,
    shard: number,
    page: PageWanted<AllocationPlace>,
  ): Promise<ListedPage<IndexEntry, AllocationPlace>>;
  putIndexEntry(entry: IndexEntry, seen: IndexEntry | undefined): Promise<Outcome<IndexEntry>>;
  deleteIndexEntry(seen: IndexEntry): Promise<Outcome<unknown>>;
  readBudget(of: BudgetNamed): Promise<Budget | undefined>;
  takeOfBudget(of: BudgetNamed, count: number, max: number): Promise<Outcome<Budget>>;
  createBudget(budget: Budget): Promise<Outcome<Budget>>;
  giveBack(
    of: BudgetNamed,
    round: string,
    count: number,
    mark: GiveBackMark,
  ): Promise<Outcome<Budget>>;
  giveBackOld(
    of: BudgetNamed,
    before: string,
    count: number,
    mark: GiveBackMark,
  ): Promise<Outcome<Budget>>;
  moveCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>>;
  addCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>>;
  turnBudget(seen: Budget, next: Budget): Promise<Outcome<Budget>>;
  deleteBudget(seen: Budget): Promise<void>;
  listQuotaSlots(space: string, handle: string): Promise<readonly QuotaSlot[]>;
  putQuotaSlot(quotaSlot: QuotaSlot, seen: QuotaSlot | undefined): Promise<Outcome<QuotaSlot>>;
  deleteQuotaSlot(step: string, seen: QuotaSlot): Promise<Outcome<unknown>>;
}
