import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/** The minimum length, because a caller that reaches the server can try any number of tokens. */
const TOKEN_CHARACTERS_MIN = 16;
/** Matches a bearer token (https://www.rfc-editor.org/rfc/rfc6750#section-2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Returns the token that requests must carry: from the file, else from `PLAT_TOKEN`, else none.
 *
 * @throws {UsageError} if it cannot be read, or is not a token
 */
export function readToken(
  file: string | undefined,
  variable: string | undefined,
): string | undefined {
  if (file === undefined) return variable ? valid(variable, "PLAT_TOKEN") : undefined;
  try {
    return valid(readFileSync(file, "utf8").trim(), `The file ${file}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--token-file cannot be read: ${(error as Error).message}.`);
  }
}

/** Checks a token. It is a secret, so the message does not contain it. */
function valid(token: string, where: string): string {
  if (token.length >= TOKEN_CHARACTERS_MIN && TOKEN.test(token)) return token;
  throw new UsageError(
    `${where} must have a token of at least ${TOKEN_CHARACTERS_MIN} characters: letters, digits and -._~+/, such as "openssl rand -hex 32" prints.`,
  );
}
