import { type FieldProblem, Problem } from "../../contract/schema/problem.ts";
import { shortened } from "../../contract/schema/schema.ts";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX } from "../../domain/limits.ts";
import { TENANT_ATTRIBUTE } from "../../domain/tenant.ts";
import type { Event, NamedTenant } from "./event.ts";

type Attributes = Readonly<Record<string, string>>;

/** Returns the tenant in a claim. A claim that is no name of a tenant, such as a list, names none. */
export function tenantInClaim(claim: unknown): NamedTenant {
  const isName =
    typeof claim === "string" &&
    /^[^[\p{C}][^\p{C}]*$/u.test(claim) &&
    claim.length <= ATTRIBUTE_VALUE_CHARACTERS_MAX;
  return isName ? { name: claim } : {};
}

/**
 * Returns the attributes of a request with the tenant that the environment names for its caller. Where the environment names the
 * tenants, a caller cannot act for another one, and a caller without a tenant for none.
 *
 * @param field the field of the attributes, for the problem
 */
export function withTenant(event: Event, attributes: Attributes, field = "attributes"): Attributes {
  const tenant = event.requestContext.authorizer?.tenant;
  if (!tenant) return attributes;
  const asked = attributes[TENANT_ATTRIBUTE];
  if (asked !== undefined && asked !== tenant.name) throw mismatch(tenant, field, asked);
  return tenant.name === undefined
    ? attributes
    : { ...attributes, [TENANT_ATTRIBUTE]: tenant.name };
}

function mismatch({ name }: NamedTenant, of: string, asked: string): Problem {
  const whose = name === undefined ? "the token names no tenant" : `the token names ${name}`;
  const fault: FieldProblem = {
    field: `${of}.${TENANT_ATTRIBUTE}`,
    value: shortened(asked),
    problem: `must be absent, or the tenant of the caller; ${whose}`,
  };
  return new Problem("tenant_mismatch", `${fault.field} ${fault.problem}.`, { fields: [fault] });
}
