import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import { vi } from "vitest";
import { platClient } from "../../src/client/index.ts";
import type { HandlerWorld } from "../../src/constructs/handler/kind.ts";
import { type EventOutcome, lifeCycle } from "../../src/constructs/handler/life-cycle.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { call, scheduledRun } from "../functions/plat.ts";

const TIMEOUT_MS = 900_000;
const work = scheduledRun("work");

/** The fate of a request on its way. */
export type Fate = "answered" | "answer lost" | "not sent" | "denied";

/**
 * Carries out an event in this process, over handlers without a network.
 *
 * @param fateOf returns what becomes of the next request
 */
export function handle(
  event: CloudFormationCustomResourceEvent,
  fateOf: () => Fate = () => "answered",
): Promise<EventOutcome> {
  const beganMs = Date.now();
  return lifeCycle(
    event,
    ({ Endpoint = "", Space }): HandlerWorld => ({
      plat: platClient(
        { endpoint: Endpoint, space: Space },
        { sleep: pass, random: Math.random, fetch: (url, init) => send(url, init, fateOf()) },
      ),
      now: Date.now,
      sleep: pass,
      remainingMs: () => TIMEOUT_MS - (Date.now() - beganMs),
    }),
  );
}

/** Lets time pass, with the worker of jobs in it. */
async function pass(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await work();
}

async function send(url: string, { method = "GET", headers = {}, body }: RequestInit, fate: Fate) {
  const { pathname, searchParams } = new URL(url);
  if (fate === "denied") return replyOf(403, { message: "Forbidden" });
  if (fate === "not sent") throw Object.assign(new TypeError("fetch failed"), { cause: REFUSED });
  const {
    status,
    headers: answered,
    body: said,
  } = await call(method, pathname, {
    headers: lowered(headers as Record<string, string>),
    query: Object.fromEntries(searchParams),
    ...(body !== undefined && { body: String(body) }),
  });
  if (fate === "answer lost") throw new TypeError("fetch failed");
  return replyOf(status, said, answered);
}

const REFUSED = Object.assign(new Error("connect ECONNREFUSED"), { syscall: "connect" });

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const replyOf = (status: number, body: unknown, headers: HttpReply["headers"] = {}) => ({
  status,
  headers: { get: (name: string) => headers[name]?.toString() ?? null },
  text: async () => JSON.stringify(body),
});
