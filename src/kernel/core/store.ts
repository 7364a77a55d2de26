import type { AdminStore } from "./stores/admin-store.ts";
import type { AffinityStore } from "./stores/affinity-store.ts";
import type { AllocationStore } from "./stores/allocation-store.ts";
import type { BlockStore } from "./stores/block-store.ts";
import type { CiliumStore } from "./stores/cilium-store.ts";
import type { NodeStore } from "./stores/node-store.ts";

/**
 * The store that the operations need. Each method is one call. Each write is conditional on what its author saw, and returns
 * its outcome. Reads are strongly consistent unless they say otherwise. A method that returns nothing is best-effort cleanup:
 * the repair run repeats it.
 */
export interface Store
  extends BlockStore,
    AffinityStore,
    AllocationStore,
    AdminStore,
    NodeStore,
    CiliumStore {}

/**
 * Returns a store with some calls replaced. A spread would lose the others, which a store makes when they are first
 * needed.
 */
export const withCalls = (store: Store, replaced: Partial<Store>): Store =>
  Object.create(store, Object.getOwnPropertyDescriptors(replaced));
