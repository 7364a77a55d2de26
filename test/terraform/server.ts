import "../../src/local/environment.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { EFFECTIVE_MS_MAX } from "../../src/base/limits.ts";
import { functionsOver } from "../../src/local/functions.ts";
import { type Handlers, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { type Caller, OPERATOR_KEYS } from "../../twin/callers.ts";
import { signerOf } from "../../twin/signature.ts";

/**
 * A server for the tests of the Terraform provider, in memory. It takes orders from its standard input, a line each, and
 * answers `done` with the order:
 *
 * - `advance SECONDS` moves its clock, which its answers tell in `Date`
 * - `work` executes the scheduled runs
 *
 * With `--signed` it serves requests only that are signed by the example's keys of AWS, as API Gateway does.
 * With `--tenant NAME` its callers have a token that names a tenant.
 * With `--stale`, the functions that assign use a copy of the configuration until it is 18 s old, as one in AWS may.
 */
const { values } = parseArgs({
  options: {
    signed: { type: "boolean", default: false },
    tenant: { type: "string" },
    stale: { type: "boolean", default: false },
  },
});

const REGION = "eu-central-1";
const SIGNER: Caller = { name: "operator", userArn: "", statements: [], ...OPERATOR_KEYS };

const startedAtMs = Date.now();
let advancedMs = 0;
const now = () => Date.now() + advancedMs;
const table = new InMemoryTable();
const { handlers, scheduledRuns } = functionsOver(wiringOver(table, { now }));
/** Stands still for as long as a copy can be in use, so the copy looks fresh until then. */
const halting = () =>
  startedAtMs + Math.floor((now() - startedAtMs) / EFFECTIVE_MS_MAX) * EFFECTIVE_MS_MAX;
const late = functionsOver(wiringOver(table, { now: halting })).handlers;

/** The caller as the authorizer of tokens names it; a server without tokens has none. */
const authorizer = values.tenant === undefined ? undefined : { tenant: { name: values.tenant } };
const served = values.stale ? { ...handlers, assign: late.assign, batch: late.batch } : handlers;
const dated = Object.entries(served).map(([name, handler]): [string, typeof handler] => [
  name,
  async (event) => {
    const requestContext = { ...event.requestContext, ...(authorizer && { authorizer }) };
    const reply = await handler({ ...event, requestContext });
    return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } };
  },
]);
const { url } = await serve(Object.fromEntries(dated) as unknown as Handlers, { port: 0 });
console.log(`Plat listens on ${values.signed ? await gateway(url) : url}`);

/** Starts a server before another one that passes on what is signed, and returns its URL. */
async function gateway(behind: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const caller = await signerOf(request, body, REGION, [SIGNER]);
    if (!caller) {
      response
        .writeHead(403, { "content-type": "application/json" })
        .end('{"message":"Forbidden"}');
      return;
    }
    const { method = "GET", headers } = request;
    const passed = ["content-type", "idempotency-key", "if-match", "if-none-match"].flatMap(
      (name): [string, string][] => (headers[name] ? [[name, String(headers[name])]] : []),
    );
    const init = { method, headers: passed, ...(body.length > 0 && { body }) };
    const reply = await fetch(`${behind}${request.url}`, init);
    response
      .writeHead(reply.status, Object.fromEntries(reply.headers))
      .end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ORDERS: Readonly<Record<string, (seconds: number) => Promise<void> | void>> = {
  advance: (seconds) => {
    advancedMs += seconds * 1_000;
  },
  work: async () => {
    await scheduledRuns.reclaim();
    await scheduledRuns.repair();
    await scheduledRuns.work();
  },
};
for await (const line of createInterface(process.stdin)) {
  const [order = "", seconds] = line.split(" ");
  await ORDERS[order]?.(Number(seconds));
  console.log(`done ${line}`);
}
process.exit(0);
