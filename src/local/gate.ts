import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem } from "../contract/schema/problem.ts";
import { cut } from "../contract/schema/schema.ts";

/** Says why a request may not come in, before anything else is looked at. */
export type Gate = (request: IncomingMessage) => Problem | undefined;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Is an address reached from this machine only? */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

/**
 * Makes the gate of a server. It keeps out what web pages send through the browser of somebody on this machine: requests
 * that say where they come from (`Origin`, `Sec-Fetch-Site`), and, under a name that was made to lead here (DNS rebinding),
 * those to another `Host`. With a token it lets in only who has it, under whatever name they reach the server.
 */
export function gateOf(address: string, token: string | undefined): Gate {
  const hosts = new Set(["localhost", "127.0.0.1", "[::1]", bracketed(address)]);
  return (request) =>
    (token === undefined ? foreignHost(request, hosts) : withoutToken(request, token)) ??
    foreignOrigin(request);
}

/** An address as it stands in a URL. */
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

/** No page is served here, so that no page has anything to ask here. Programs send neither header. */
function foreignOrigin({ headers }: IncomingMessage): Problem | undefined {
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && origin !== `http://${host}`)
    return new Problem("foreign_origin", `Web pages of ${cut(origin)} must not call this server.`);
  if (site === undefined || site === "none" || site === "same-origin") return undefined;
  return new Problem("foreign_origin", "Web pages of other sites must not call this server.");
}

function withoutToken({ headers }: IncomingMessage, token: string): Problem | undefined {
  const { authorization } = headers;
  // The scheme's case does not matter (https://www.rfc-editor.org/rfc/rfc9110#section-11.1).
  const [, sent] = /^bearer +(.*)$/i.exec(authorization ?? "") ?? [];
  if (sent !== undefined && isSame(sent, token)) return undefined;
  return sent === undefined
    ? new Problem("unauthenticated", "Send the server's token: Authorization: Bearer <token>.")
    : new Problem("unauthenticated", "The token is not the server's.");
}

/** In a time that does not depend on how much of it is right, nor on how long it is. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string) => createHash("sha256").update(text).digest();
