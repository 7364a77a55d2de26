import { ADDRESSES_RELEASED_AT_ONCE } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import type { Granted } from "../../../kernel/allocations/holding.ts";
import type { OccupiedQuotaSlot } from "../../../kernel/allocations/quota-slots.ts";
import { quotaSlotsUnderLimit } from "../../../kernel/assign/quota.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { freeOfPart } from "../../../kernel/end/free-named.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import type { Allocation, Part } from "../../../kernel/values/allocation.ts";
import { ciliumHandle } from "../../../kernel/values/handle.ts";
import { type Address, FAMILIES, type Family, formatAddress } from "../../../net/address.ts";
import { addressAt } from "../../../net/cidr.ts";
import { type CrdDecision, decideCrd, rememberedTexts } from "../crd.ts";
import { CrdGranting } from "./crd-granting.ts";
import type { Mode } from "./mode.ts";

interface Held {
  /** The addresses that a node holds, by their canonical texts. */
  readonly addresses: ReadonlyMap<string, HeldAddress>;
  readonly quotaSlots: readonly OccupiedQuotaSlot[];
}

interface HeldAddress {
  readonly allocation: Allocation;
  readonly part: Part;
  readonly address: Address;
}

interface Decision extends CrdDecision {
  /** The families in which the node gets addresses. */
  readonly families: readonly Family[];
}

/** Mode `crd`: single addresses, which the node may use one by one. */
export const crd: Mode<Held, Decision> = {
  gives: "addresses",

  async held(context, { space, node, uid }) {
    const of = { space, handle: ciliumHandle(node, uid) };
    const quotaSlots = await quotaSlotsUnderLimit(context, of);
    if (quotaSlots instanceof Rejection) return quotaSlots;
    const granted = quotaSlots.flatMap((quotaSlot) => quotaSlot.granted ?? []);
    return { addresses: new Map(granted.flatMap(heldIn)), quotaSlots };
  },

  hasAny: ({ addresses }) => addresses.size > 0,

  async finish(context, _request, report, { addresses }) {
    const gone = [...rememberedTexts(report, "released"), ...rememberedTexts(report, "givenBack")];
    const left = gone.filter((text) => addresses.has(text));
    await freeAll(context, addresses, left);
    return left.length > 0;
  },

  decide: (request, { report, served }, { addresses }, nowMs) => ({
    ...decideCrd({
      ...request,
      earlier: report ?? { entries: [], excessSinceMs: {} },
      held: new Set(addresses.keys()),
      nowMs,
    }),
    // Without any that pools serve, the rejection of each says why.
    families: request.families ?? (served.length > 0 ? served : FAMILIES),
  }),

  async carryOut(context, request, decision, held) {
    await freeAll(context, held.addresses, decision.free);
    const granting = new CrdGranting(context, request, decision, {
      has: held.addresses.keys(),
      // What was just freed has changed them.
      ...(decision.free.length === 0 && { quotaSlots: held.quotaSlots }),
    });
    for (const family of FAMILIES) {
      const rejected =
        (await granting.take(family)) ??
        (decision.families.includes(family) ? await granting.ensure(family) : undefined);
      if (rejected) return rejected;
    }
    return granting.grant();
  },

  async release(context, { space, name, uid }) {
    const { released, complete } = await releaseHandle(context, space, ciliumHandle(name, uid));
    return { released, complete };
  },
};

const heldIn = ({ allocation, held }: Granted): readonly (readonly [string, HeldAddress])[] =>
  held.flatMap(({ part, block, ordinals }) =>
    ordinals.map((ordinal) => {
      const address = addressAt(block.cidr, ordinal);
      return [formatAddress(address), { allocation, part, address }] as const;
    }),
  );

/** Frees addresses one by one, each exactly as it was assigned. One that was freed meanwhile stays as it is. */
async function freeAll(
  context: Context,
  addresses: Held["addresses"],
  texts: readonly string[],
): Promise<void> {
  const named = texts.flatMap((text) => addresses.get(text) ?? []);
  await inParallel(named, ADDRESSES_RELEASED_AT_ONCE, ({ allocation, part, address }) =>
    freeOfPart(context, allocation, part, address),
  );
}
