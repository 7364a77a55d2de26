import * as v from "valibot";
import type { FieldProblem } from "../src/api/schema/problem.ts";
import { fields, list } from "../src/api/schema/schema.ts";
import { orLater } from "../src/constructs/props.ts";
import type { AccessChoice } from "./access-choice.ts";
import { pattern } from "./pattern.ts";

const ORIGINS_MAX = 10;

/** The console, at `/console` of the API. */
export const consoleChoice = fields({
  /** The client of the issuer that the console is, with JSON Web Tokens. */
  clientId: v.optional(
    orLater(
      pattern(/^[\x21-\x7e]{1,255}$/, "must be the id of a client of the issuer, without spaces"),
    ),
  ),
  /** The scopes to ask the issuer for. Default: `openid`. */
  scope: v.optional(
    pattern(
      /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
      'must be scopes with single spaces between them, such as "openid plat"',
    ),
  ),
  /** The origins of the issuer's endpoints, if they are not that of the issuer. */
  origins: v.optional(
    list(
      orLater(
        pattern(
          /^https:\/\/[\w.-]+(:\d+)?$/,
          'must be an origin, such as "https://login.example.com"',
        ),
      ),
      { max: ORIGINS_MAX },
      {
        type: 'must be a list of origins, such as ["https://login.example.com"]',
        max: `must be at most ${ORIGINS_MAX} origins`,
      },
    ),
    [],
  ),
});

export type ConsoleChoice = v.InferOutput<typeof consoleChoice>;

/** Returns what a console cannot have beside it, or lacks. */
export function consoleProblems(
  { clientId, scope, origins }: ConsoleChoice,
  beside: {
    readonly access?: AccessChoice | undefined;
    readonly api?: { type: string } | undefined;
  },
): readonly FieldProblem[] {
  const isByIssuer = beside.access?.type === "jwt";
  return [
    ...(beside.api?.type === "private"
      ? [
          {
            field: "console",
            problem: "must be absent beside a private API, whose paths begin with its stage",
          },
        ]
      : []),
    ...(isByIssuer && clientId === undefined
      ? [{ field: "console", problem: "must have the clientId that the issuer knows" }]
      : []),
    ...(!isByIssuer && (clientId !== undefined || scope !== undefined || origins.length > 0)
      ? [
          {
            field: "console",
            problem: 'has clientId, scope and origins with access of type "jwt" only',
          },
        ]
      : []),
  ];
}
