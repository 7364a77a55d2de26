import { assertTexts, assertWhole } from "../../base/assertions.ts";
import { Rejection } from "../../base/outcome.ts";
import { namedPrincipal, TENANT_ATTRIBUTE } from "../../base/principal.ts";

/** The things that a quota limits, each with its maximum. */
export interface QuotaMaxima {
  /** The addresses that are assigned at a time. */
  readonly addresses?: number;
  /** The prefixes that nodes have at a time. */
  readonly prefixes?: number;
  /** The blocks that hosts have at a time. */
  readonly blocks?: number;
  /** The requests that Plat serves in a second. */
  readonly requestsPerSecond?: number;
}

/** The fields of a quota that operators set. Without a principal and a tenant it limits the whole space. */
export interface QuotaSpec extends QuotaMaxima {
  /** The caller whom it limits, as `namedPrincipal` returns it. */
  readonly principal?: string;
  /** The tenant whom it limits: the attribute `tenant` of its addresses. */
  readonly tenant?: string;
}

/** A maximum that an operator sets for a space, or for a principal or a tenant in it. */
export interface Quota extends QuotaSpec {
  readonly space: string;
  readonly name: string;
  readonly revision: string;
}

/** The parts of a request that decide which quotas limit it. */
export interface QuotaSubject {
  /** The caller as API Gateway names it. */
  readonly assignedBy?: string | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** Checks that a quota has what its writes and its decisions compare. @throws {Error} */
export function assertQuota({ space, name, revision, ...maxima }: Quota): void {
  const { addresses = 0, prefixes = 0, blocks = 0, requestsPerSecond = 0 } = maxima;
  assertTexts({ space, name, revision });
  assertWhole({ addresses, prefixes, blocks, requestsPerSecond });
}

/**
 * Returns the quotas that limit a request: those of its caller and its tenant before those of the space, so that what they refuse takes
 * nothing that others need.
 */
export function quotasFor(quotas: readonly Quota[], subject: QuotaSubject): readonly Quota[] {
  if (quotas.length === 0) return quotas;
  const { attributes = {} } = subject;
  const principal = principalOf(subject);
  const limiting = quotas.filter((quota) => {
    if (quota.principal !== undefined) return quota.principal === principal;
    return quota.tenant === undefined || quota.tenant === attributes[TENANT_ATTRIBUTE];
  });
  return limiting.toSorted((a, b) => Number(isOfSpace(a)) - Number(isOfSpace(b)));
}

/** Returns true if the same quotas limit both. */
export const isSameSubject = (a: QuotaSubject, b: QuotaSubject): boolean =>
  a.attributes?.[TENANT_ATTRIBUTE] === b.attributes?.[TENANT_ATTRIBUTE] &&
  principalOf(a) === principalOf(b);

const principalOf = ({ assignedBy }: QuotaSubject): string | undefined =>
  assignedBy === undefined ? undefined : namedPrincipal(assignedBy);

/** Returns true if a quota limits the whole space. */
const isOfSpace = ({ principal, tenant }: Quota): boolean =>
  principal === undefined && tenant === undefined;

/** Returns the rejection of a request that a quota does not permit now. It names the quota, its value, and who may raise it. */
export function quotaRejection(
  code: "quota_exceeded" | "rate_limited",
  quota: Quota,
  maximum: keyof QuotaMaxima,
  reason: string,
  members: Rejection["members"] = {},
): Rejection {
  const { space, name, principal, tenant } = quota;
  const whose =
    principal !== undefined
      ? `principal ${principal}`
      : tenant !== undefined
        ? `tenant ${tenant}`
        : `space ${space}`;
  return new Rejection(
    code,
    `Quota ${name} of ${whose} allows ${quota[maximum]} ${UNITS[maximum]}${reason}. A caller with the role operator in space ${space} may raise it.`,
    {
      ...members,
      limit: {
        quota: name,
        ...(principal !== undefined && { principal }),
        ...(tenant !== undefined && { tenant }),
        [maximum]: quota[maximum],
      },
      changedBy: { role: "operator", space },
    },
  );
}

const UNITS: Readonly<Record<keyof QuotaMaxima, string>> = {
  addresses: "addresses",
  prefixes: "prefixes",
  blocks: "blocks",
  requestsPerSecond: "requests a second",
};

/** The requests of one second that functions took from a quota, to serve them. */
export interface RequestRate {
  readonly space: string;
  readonly quota: string;
  /** Seconds since the epoch, by the fastest clock of those that took. */
  readonly second: number;
  readonly taken: number;
}

/** Checks that a rate has the numbers that its conditions compare. @throws {Error} */
export function assertRequestRate({ space, quota, second, taken }: RequestRate): void {
  assertTexts({ space, quota });
  assertWhole({ second, taken });
}

/** The requests that one function may still serve in a second, of those that it took. */
export interface RequestPiece {
  readonly second: number;
  /** Those that it served in this second. */
  served: number;
  left: number;
}

/** Returns how many requests a function takes at once: as many as it served in the second before, and at least one. */
export const requestsToTake = (last: RequestPiece | undefined, second: number): number =>
  last && last.second >= second - 1 ? Math.max(1, last.served) : 1;
