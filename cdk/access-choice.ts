import * as v from "valibot";
import { fields, list } from "../src/api/schema/schema.ts";
import { orLater } from "../src/constructs/props.ts";
import { pattern } from "./pattern.ts";

const AUDIENCES_MAX = 50;

const issuer = orLater(
  pattern(
    /^https:\/\/[\w.-]+(:\d+)?(\/[\w./~-]*)?$/,
    'must be the URL of an issuer, as in the claim "iss", such as "https://login.example.com"',
  ),
);

const audience = list(
  orLater(pattern(/^[\x21-\x7e]{1,255}$/, "must be a text without spaces")),
  { min: 1, max: AUDIENCES_MAX },
  {
    type: 'must be a list of audiences, such as ["plat"]',
    min: "must name an audience",
    max: `must be at most ${AUDIENCES_MAX} audiences`,
  },
);

const iam = fields({ type: v.literal("iam") });

const claim = (sample: string) =>
  pattern(/^[\x21-\x7e]{1,255}$/, `must be the name of a claim, such as "${sample}"`);

/** JSON Web Tokens of one issuer. */
const jwt = fields({
  type: v.literal("jwt"),
  issuer,
  audience,
  /** The claim with the roles of the caller. */
  rolesClaim: claim("plat_roles"),
  /** The claim with the tenant of the caller; without it a caller may name any tenant. */
  tenantClaim: v.optional(claim("plat_tenant")),
});

/** Bearer tokens, whose hashes an operator keeps in a secret. */
const token = fields({
  type: v.literal("token"),
  /** The name of the secret in Secrets Manager. */
  secret: orLater(
    pattern(/^[\w/+=.@-]{1,505}$/, 'must be the name of a secret, such as "plat/prod/tokens"'),
  ),
});

/** The way in which API Gateway authorizes callers. */
export const access = v.variant("type", [iam, jwt, token], ({ path }) =>
  path
    ? 'must be "iam", "jwt" or "token"'
    : 'must be an object with a type, such as {"type": "iam"}',
);

export type AccessChoice = v.InferOutput<typeof access>;
