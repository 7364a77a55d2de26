import { LIMIT_PER_HANDLE_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import type { OccupiedQuotaSlot } from "../../../kernel/allocations/quota-slots.ts";
import { assign } from "../../../kernel/assign/assign.ts";
import type { AssignRequest } from "../../../kernel/assign/assignment.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { ciliumHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { StatedAddress } from "../../../kernel/values/stated-address.ts";
import { compareAddresses, FAMILIES, type Family, formatAddress } from "../../../net/address.ts";
import { addressesByText, familyOf } from "../addresses.ts";
import type { CrdDecision } from "../crd.ts";
import { availableOf, releaseIpsOf } from "../marks.ts";
import { ciliumSentence } from "../object.ts";
import { growthOf, watermarksOf } from "../watermarks.ts";
import type { CiliumGrant, CiliumRequest } from "./mode.ts";

/**
 * Gives a node its addresses in mode `crd`: those that it says it has, and then those that it needs. One execution serves one request,
 * after what the node gave back is free. Its steps return `request_in_progress`, or nothing.
 */
export class CrdGranting {
  readonly #context: Context;
  readonly #request: CiliumRequest;
  readonly #decision: CrdDecision;
  /** The addresses that the node holds, as canonical texts. */
  readonly #has: Set<string>;
  /** The quota slots of its handle, until the first assign changes them. */
  #quotaSlots: readonly OccupiedQuotaSlot[] | undefined;
  readonly #taken: string[] = [];
  readonly #errors: string[] = [];

  constructor(
    context: Context,
    request: CiliumRequest,
    decision: CrdDecision,
    held: {
      readonly has: Iterable<string>;
      readonly quotaSlots?: readonly OccupiedQuotaSlot[];
    },
  ) {
    this.#context = context;
    this.#request = request;
    this.#decision = decision;
    this.#has = new Set(held.has);
    this.#quotaSlots = held.quotaSlots;
    for (const text of decision.free) this.#has.delete(text);
  }

  /** Takes the addresses of a family that the node says it has and does not hold: first those in use. */
  async take(family: Family): Promise<Rejection | undefined> {
    const stated = this.#decision.stated.filter(({ address }) => address.family === family);
    const isHeld = ({ address }: StatedAddress) => this.#has.has(formatAddress(address));
    const missing = stated
      .filter((each) => !isHeld(each))
      .toSorted((a, b) => Number(b.isUsed) - Number(a.isUsed));
    if (missing.length === 0) return undefined;
    const room = LIMIT_PER_HANDLE_MAX - this.#held(family).length;
    if (missing.length > room)
      this.#fail(family, `${missing.length - room} of the listed addresses are too many. ${MOST}`);
    if (room === 0) return undefined;
    const asked = [...stated.filter(isHeld), ...missing.slice(0, room)];
    const assigned = await this.#assign({
      wanted: [{ family, count: asked.length }],
      stated: asked,
      limitPerHandle: LIMIT_PER_HANDLE_MAX,
    });
    if (assigned instanceof Rejection) return assigned;
    for (const message of assigned) this.#fail(family, message);
    return undefined;
  }

  /** Takes the addresses of a family that the node needs. */
  async ensure(family: Family): Promise<Rejection | undefined> {
    const available = availableOf(this.#decision, this.#has, family);
    const used = available.filter((text) => this.#decision.seen.used.has(text)).length;
    const held = this.#held(family).length;
    const watermarks = watermarksOf(this.#request.object.ipam);
    const { needed, grow, cut } = growthOf(watermarks, { available: available.length, used, held });
    if (cut > 0) this.#fail(family, `${cut} of the needed addresses are too many. ${MOST}`);
    if (grow === 0) return undefined;
    const count = held + grow;
    const assigned = await this.#assign({
      wanted: [{ family, count }],
      limitPerHandle: count,
    });
    if (assigned instanceof Rejection) return assigned;
    // Those above the watermark are no lack: they only save later requests.
    const lack =
      available.length + needed - cut - availableOf(this.#decision, this.#has, family).length;
    if (lack <= 0) return undefined;
    for (const message of assigned) this.#fail(family, message);
    if (assigned.length === 0)
      this.#fail(
        family,
        `${lack} of the needed addresses were given back a moment ago. PUT the CiliumNode again.`,
      );
    return undefined;
  }

  /** Returns what the node has after these steps. */
  grant(): CiliumGrant {
    const { pool, used } = this.#decision.seen;
    const available = FAMILIES.flatMap((family) => availableOf(this.#decision, this.#has, family));
    const inOrder = [...addressesByText(available)].toSorted(([, a], [, b]) =>
      compareAddresses(a, b),
    );
    return {
      ipam: {
        pool: Object.fromEntries(
          inOrder.map(([text]) => [text, pool.get(text) ?? used.get(text) ?? {}]),
        ),
      },
      releaseIps: releaseIpsOf(this.#decision),
      taken: this.#taken,
      errors: this.#errors,
    };
  }

  /** Assigns, and adds what the node newly holds. @returns why something is missing; or `request_in_progress` */
  async #assign(
    asked: Pick<AssignRequest, "wanted" | "stated" | "limitPerHandle">,
  ): Promise<readonly string[] | Rejection> {
    const { space, node, uid, assignedBy } = this.#request;
    const quotaSlots = this.#quotaSlots;
    this.#quotaSlots = undefined;
    const assigned = await assign(this.#context, {
      space,
      host: hostId("host", node),
      handle: ciliumHandle(node, uid),
      pools: [],
      attributes: {},
      allowPartial: true,
      ...(assignedBy !== undefined && { assignedBy }),
      // The limit makes the request safe to repeat, so that no two bodies of it are compared.
      digest: "cilium",
      ...(quotaSlots && { quotaSlots }),
      ...asked,
    });
    if (assigned instanceof Rejection)
      return assigned.code === "request_in_progress" ? assigned : [assigned.detail];
    for (const { address } of assigned.addresses) {
      if (!this.#has.has(address)) this.#taken.push(address);
      this.#has.add(address);
    }
    return assigned.messages;
  }

  #held(family: Family): readonly string[] {
    return [...this.#has].filter((text) => familyOf(text) === family);
  }

  #fail(family: Family, detail: string): void {
    this.#errors.push(ciliumSentence({ node: this.#request.node, families: [family] }, detail));
  }
}

const MOST = `A node has at most ${LIMIT_PER_HANDLE_MAX} addresses of a family.`;
