import { createHash } from "node:crypto";
import type { Deployment } from "./deployment.ts";
import type { Statement } from "./iam.ts";

/** A caller of the API, with its keys. */
export interface Caller {
  readonly name: string;
  readonly userArn: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly statements: readonly Statement[];
}

/** The keys that AWS uses in its examples. They give access to a twin only. */
export const OPERATOR_KEYS = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
} as const;

/**
 * Returns the users of the account: `operator`, which may call all of the API, and one for each managed policy of the
 * stacks.
 */
export function callersOf({ account, policies }: Deployment): readonly Caller[] {
  const everything: Statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: "*" };
  const userArn = (name: string) => `arn:aws:iam::${account}:user/${name}`;
  return [
    { name: "operator", userArn: userArn("operator"), ...OPERATOR_KEYS, statements: [everything] },
    ...[...policies].map(([name, statements]) => ({
      name,
      userArn: userArn(name),
      ...keysOf("AKIA", name),
      statements,
    })),
  ];
}

/** Derives keys from a name. The same name always has the same keys. */
export function keysOf(prefix: "AKIA" | "ASIA", name: string) {
  const secret = createHash("sha256").update(`${prefix}/${name}`).digest("base64").slice(0, 40);
  const id = createHash("sha256").update(secret).digest("hex").toUpperCase().slice(0, 16);
  return { accessKeyId: `${prefix}${id}`, secretAccessKey: secret };
}
