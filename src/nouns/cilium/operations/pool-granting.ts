import { LIMIT_PER_HANDLE_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { assign } from "../../../kernel/assign/assign.ts";
import type { AssignRequest } from "../../../kernel/assign/assignment.ts";
import { poolOfPrefix } from "../../../kernel/assign/pool-of-prefix.ts";
import { BoundedWork } from "../../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { ciliumPoolHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { formatCidr, sameCidr } from "../../../net/cidr.ts";
import { noneUnread } from "../../pool/configuration.ts";
import { assignsPrefixes } from "../../pool/pool.ts";
import { prefixesOfAssignment } from "../../prefix/operations/node-prefix.ts";
import { allocatedOf, missingOf, type PoolDemand, type PoolPrefix } from "../multi-pool.ts";
import { ciliumSentence, isPoolOf } from "../object.ts";
import type { CiliumGrant, CiliumRequest } from "./mode.ts";
import { prefixesOfPool } from "./pool-prefixes.ts";

/**
 * Gives a node its prefixes in mode `multi-pool`: those that it says it has, and then those that it needs. One execution serves one
 * request, after what the node gave back is free. Its steps return `request_in_progress`, or nothing.
 */
export class PoolGranting {
  readonly #context: Context;
  readonly #request: CiliumRequest;
  readonly #work: BoundedWork;
  #has: readonly PoolPrefix[];
  readonly #taken: string[] = [];
  readonly #errors: string[] = [];

  constructor(context: Context, request: CiliumRequest, held: readonly PoolPrefix[]) {
    this.#context = context;
    this.#request = request;
    this.#work = new BoundedWork(context);
    this.#has = held;
  }

  /** Takes a prefix that the node says it has and does not hold, also while it cools. */
  async take(stated: PoolPrefix): Promise<Rejection | undefined> {
    const { pool, cidr } = stated;
    if (!this.#work.mayBegin())
      return this.#fail(
        { pool, family: cidr.family },
        `There was no time to take ${formatCidr(cidr)}. PUT the CiliumNode again.`,
      );
    const { space, node, uid, assignedBy } = this.#request;
    const configuration = await configurationOf(this.#context, space);
    const found = poolOfPrefix(configuration, space, cidr, assignedBy);
    const [own] = found instanceof Rejection ? [] : found;
    const problem =
      found instanceof Rejection
        ? found.detail
        : own && !isPoolOf(pool, own)
          ? `Prefix ${formatCidr(cidr)} belongs to pool ${own.name}, not to ${pool}.`
          : this.#isFull(pool, cidr)
            ? MOST
            : undefined;
    if (problem !== undefined) return this.#fail({ pool, family: cidr.family }, problem);
    const assigned = await this.#assign(pool, {
      wanted: [{ family: cidr.family, count: 1 }],
      prefixes: { stated: [cidr] },
      pools: [],
      limitPerHandle: LIMIT_PER_HANDLE_MAX,
    });
    if (!assigned || assigned.code === "request_in_progress") return assigned;
    // Another request for the node was faster.
    const isMine = assigned.members.assignedTo === ciliumPoolHandle(node, uid, pool);
    if (!isMine) return this.#fail({ pool, family: cidr.family }, assigned.detail);
    this.#has = [...this.#has, stated];
    return undefined;
  }

  /** Takes the prefixes of a pool that the node needs, one after another. */
  async ensure(demand: PoolDemand): Promise<Rejection | undefined> {
    const { pool, family } = demand;
    const { space } = this.#request;
    const configuration = await configurationOf(this.#context, space);
    const pools = configuration.pools
      .filter((each) => assignsPrefixes(each) && each.cidr.family === family)
      .flatMap((each) => (isPoolOf(pool, each) ? [each.name] : []));
    for (;;) {
      const missing = missingOf(demand, this.#has);
      if (missing <= 0n) return undefined;
      if (pools.length === 0) {
        noneUnread(configuration);
        return this.#fail(
          demand,
          `No pool of IPv${family} prefixes has the name ${pool}, or ${pool}, a dot and a rest without a dot.`,
        );
      }
      if (this.#isFull(pool, demand)) return this.#fail(demand, MOST);
      if (!this.#work.mayBegin())
        return this.#fail(
          demand,
          `${missing} more addresses are needed. PUT the CiliumNode again.`,
        );
      const before = this.#of(pool, family);
      const rejected = await this.#assign(pool, {
        wanted: [{ family, count: 1 }],
        prefixes: { stated: [] },
        pools,
        // A request for the node that runs side by side takes the same prefix, so that both do not take one.
        limitPerHandle: before.length + 1,
      });
      if (rejected?.code === "request_in_progress") return rejected;
      if (rejected) return this.#fail(demand, rejected.detail);
      if (this.#of(pool, family).length > before.length) continue;
      const read = await prefixesOfPool(this.#context, this.#request, pool);
      if (read instanceof Rejection) return read;
      this.#has = [...this.#has.filter((each) => each.pool !== pool), ...read];
    }
  }

  /** Returns what the node has after these steps. */
  grant(): CiliumGrant {
    const { pools } = this.#request.object.ipam;
    return {
      ipam: { pools: { ...pools, allocated: allocatedOf(this.#has) } },
      taken: this.#taken,
      errors: this.#errors,
    };
  }

  /** Assigns a prefix, and adds it to those that the node has. @returns the rejection; nothing if it has the prefix */
  async #assign(
    pool: string,
    asked: Pick<AssignRequest, "wanted" | "prefixes" | "pools" | "limitPerHandle">,
  ): Promise<Rejection | undefined> {
    const { space, node, uid, assignedBy } = this.#request;
    const assigned = await assign(this.#context, {
      space,
      host: hostId("host", node),
      handle: ciliumPoolHandle(node, uid, pool),
      attributes: {},
      ...(assignedBy !== undefined && { assignedBy }),
      // The limit makes the request safe to repeat, so that no two bodies of it are compared.
      digest: "cilium",
      ...asked,
    });
    if (assigned instanceof Rejection) return assigned;
    for (const { cidr } of prefixesOfAssignment(assigned)) {
      if (this.#has.some((each) => each.pool === pool && sameCidr(each.cidr, cidr))) continue;
      this.#has = [...this.#has, { pool, cidr }];
      this.#taken.push(formatCidr(cidr));
    }
    return undefined;
  }

  #of(pool: string, family: PoolDemand["family"]): readonly PoolPrefix[] {
    return this.#has.filter((each) => each.pool === pool && each.cidr.family === family);
  }

  #isFull(pool: string, { family }: Pick<PoolDemand, "family">): boolean {
    return this.#of(pool, family).length >= LIMIT_PER_HANDLE_MAX;
  }

  #fail({ pool, family }: Pick<PoolDemand, "pool" | "family">, detail: string): undefined {
    const { node } = this.#request;
    this.#errors.push(ciliumSentence({ node, pool, families: [family] }, detail));
  }
}

const MOST = `A node has at most ${LIMIT_PER_HANDLE_MAX} prefixes of a family of a pool.`;
