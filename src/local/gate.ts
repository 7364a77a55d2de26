import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem } from "../api/schema/problem.ts";
import { cut } from "../api/schema/schema.ts";

/** Returns why a request is rejected, before Plat reads the rest of it. */
export type Gate = (request: IncomingMessage) => Problem | undefined;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Returns true if only this machine can reach an address. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

/**
 * Makes the gate of a server. It rejects requests that web pages send through the browser of a user of this machine;
 * they carry `Origin` or `Sec-Fetch-Site`. It rejects requests to another `Host`, against DNS rebinding. With a token
 * it accepts only requests with the token, under any name of the server.
 */
export function gateOf(address: string, token: string | undefined): Gate {
  const page = pageGateOf(address, token);
  return (request) =>
    page(request) ??
    (token === undefined ? undefined : withoutToken(request, token)) ??
    foreignOrigin(request, token === undefined ? ["http"] : ["http", "https"]);
}

/**
 * Makes the gate of the console's files. They have no data, so anybody may read them who reaches the server, and a link
 * on another site may lead to them. Without a token the `Host` is still checked.
 */
export function pageGateOf(address: string, token: string | undefined): Gate {
  const hosts = new Set(["localhost", "127.0.0.1", "[::1]", bracketed(address)]);
  return (request) => (token === undefined ? foreignHost(request, hosts) : undefined);
}

/** Returns an address as it is written in a URL. */
export const bracketed = (address: string): string =>
  address.includes(":") ? `[${address}]` : address;

function foreignHost(
  { headers }: IncomingMessage,
  hosts: ReadonlySet<string>,
): Problem | undefined {
  const { host = "" } = headers;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  if (hosts.has(name)) return undefined;
  return new Problem(
    "foreign_host",
    `Host is ${JSON.stringify(cut(host))}; this server is called as ${[...hosts].join(", ")}.`,
  );
}

/**
 * Rejects requests of web pages, except those of the console, which has the origin of the server. Programs send neither
 * header.
 *
 * @param schemes those of the console's origin: a proxy with TLS may stand before a server with a token
 */
function foreignOrigin(
  { headers }: IncomingMessage,
  schemes: readonly string[],
): Problem | undefined {
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && !schemes.some((scheme) => origin === `${scheme}://${host}`))
    return new Problem("foreign_origin", `Web pages of ${cut(origin)} must not call this server.`);
  if (site === undefined || site === "none" || site === "same-origin") return undefined;
  return new Problem("foreign_origin", "Web pages of other sites must not call this server.");
}

function withoutToken({ headers }: IncomingMessage, token: string): Problem | undefined {
  const { authorization } = headers;
  // The scheme's case does not matter (https://www.rfc-editor.org/rfc/rfc9110#section-11.1). NetBox's clients name theirs "Token".
  const [, sent] = /^(?:bearer|token) +(.*)$/i.exec(authorization ?? "") ?? [];
  if (sent !== undefined && isSame(sent, token)) return undefined;
  return sent === undefined
    ? new Problem("unauthenticated", "Send the server's token: Authorization: Bearer <token>.")
    : new Problem("unauthenticated", "The token is not the server's.");
}

/** Compares two texts in a time that depends neither on the length nor on the number of equal characters. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string) => createHash("sha256").update(text).digest();
