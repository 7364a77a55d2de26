import "../local/silent.ts";
import type { SQSEvent } from "aws-lambda";
import * as v from "valibot";
import { expect, vi } from "vitest";
import { intakeOver } from "../../functions/intake.ts";
import type { Event } from "../../src/api/http/event.ts";
import { pathIn } from "../../src/api/route.ts";
import { PROBLEMS } from "../../src/api/schema/problem.ts";
import { problem } from "../../src/contract/answers.ts";
import { problemsOf } from "../../src/contract/responses.ts";
import type { Route } from "../../src/contract/routes.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { type Functions, functionsOver } from "../../src/local/functions.ts";
import type { Handlers } from "../../src/local/server.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import { repeatingTable } from "../../src/store/stack.ts";
import { ChangeLog, InMemoryFeed } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { contextOf, type Surroundings, type Wiring, wiringOver } from "../../src/wiring.ts";
import { eventOf, type Request } from "../api/event.ts";
import { afterEachFile, afterEachTest, atEachFile } from "../each-file.ts";
import { UNHURRIED } from "../patience.ts";
import { guardOver } from "../simulation/layers.ts";
import { sendEvent } from "./call.ts";
import { runAs, tellUsed, unlawful, watchedHistory, watchedTable } from "./rights.ts";

/** The changes of the table that nobody has published yet, and the number of all of them. */
class CountedFeed extends InMemoryFeed {
  count = 0;
  override add(...change: Parameters<InMemoryFeed["add"]>): void {
    this.count++;
    super.add(...change);
  }
}
export const feed = new CountedFeed(new ChangeLog(() => Date.now()));
/** The table of the handlers; a test may replace its methods. It is empty when a file begins. */
export const table = new InMemoryTable(feed);
/** The history that the functions read. `published` fills it. */
export const history = new InMemoryTable();
export const HISTORY_KEPT_MS = 90 * 86_400_000;
let watched: ReturnType<typeof watchedTable>;
let guarded: ReturnType<typeof guardOver>;
let wiring: Wiring;
let functions: Functions;
/** The handlers, each of which runs with its own rights to the table. */
let lawful: Handlers;

/** Returns the things that the functions have now, for a test that makes one more, or that replaces a part of them. */
export const wired = (): Wiring => wiring;

/** Returns the handlers as they are now. */
export const handlers = (): Handlers => functions.handlers;

/** Makes all functions anew, over the things that the test gives them. */
export function deploy(given: Wiring): void {
  wiring = given;
  functions = functionsOver(wiring);
  lawful = Object.fromEntries(
    Object.entries(functions.handlers).map(([name, handler]) => [
      name,
      (event: Event) => runAs(name as keyof Handlers, () => handler(event)),
    ]),
  ) as unknown as Handlers;
}

/** Empties the tables, and makes the functions over them as if these had just been deployed. */
export function deployAnew(): void {
  for (const each of [table, history]) {
    each.partitions.clear();
    withoutReplacements(each);
  }
  void forgetChanges();
  watched = watchedTable(table);
  guarded = guardOver(watched, () => Date.now());
  startAnew();
}
atEachFile(deployAnew);

/** Makes the functions as if they had just started, with other surroundings if the test names them. Their warm cache is empty. */
export function startAnew(surroundings: Partial<Surroundings> = {}): void {
  const patience = { ...UNHURRIED, ...surroundings };
  const readable = watchedHistory(history);
  deploy({
    ...wiringOver(watched, patience, guarded),
    history: (deadline) => ({
      table: repeatingTable(() => readable, { deadline }, { patience, guard: undefined }),
      keptMs: HISTORY_KEPT_MS,
      publishes: true,
    }),
  });
}

/** A context over the table of the handlers, with their warm cache. Nobody is the author of its writes. */
export const context: Context = {
  get store() {
    return wiring.context().store;
  },
  get random() {
    return wiring.context().random;
  },
  get cache() {
    return wiring.context().cache;
  },
  get now() {
    return wiring.context().now;
  },
  get sleep() {
    return wiring.context().sleep;
  },
};

/** Lets every write of a step fail, until the mocks are restored. */
export function failWrites(step: string, error: Error): void {
  const write = table.write.bind(table);
  vi.spyOn(table, "write").mockImplementation(async (each) => {
    if (each.step === step) throw error;
    return write(each);
  });
}

/** Gives a table its own methods back. */
function withoutReplacements(table: InMemoryTable): void {
  for (const name of Object.keys(table))
    if (Object.hasOwn(InMemoryTable.prototype, name)) Reflect.deleteProperty(table, name);
}

let checked = 0;

/** Checks the invariants over the whole table after each test that changed it. */
afterEachTest(async () => {
  if (feed.count > checked) {
    const { violations } = await checkTable(contextOf(table));
    expect(violations).toEqual([]);
  }
  checked = feed.count;
  await forgetChanges();
  expect([...unlawful]).toEqual([]);
});

async function forgetChanges(): Promise<void> {
  const last = feed.first(Number.POSITIVE_INFINITY).at(-1);
  if (last) await feed.forget(last.sequence);
}

afterEachFile(tellUsed);

/** Returns a call of a scheduled run that has the rights of its function. */
export const scheduledRun = (name: keyof Functions["scheduledRuns"]) => () =>
  runAs(name, functions.scheduledRuns[name]);

/** Puts events into the queue of a space as messages of one batch, and returns how many must come again. */
export async function takeIn(space: string, events: readonly object[]): Promise<number> {
  const attribute = { dataType: "String", stringValue: space };
  const Records = events.map((event, n) => ({
    messageId: `${n}`,
    body: JSON.stringify(event),
    messageAttributes: { space: attribute },
  }));
  const event = { Records } as unknown as SQSEvent;
  return (await runAs("intake", () => intakeOver(wiring)(event))).batchItemFailures.length;
}

/** Sends a request to the handler of its route. */
export const call = (method: string, path: string, request: Request = {}): Promise<HttpReply> =>
  send(eventOf(method, path, request));

export async function send(event: Event): Promise<HttpReply> {
  const { route, reply } = await sendEvent(lawful, event);
  expectDocumented(route, reply);
  return reply;
}

/** Checks that the OpenAPI document describes an answer. */
function expectDocumented(route: Route, { status, headers, body }: HttpReply): void {
  if (headers["content-type"] === "application/problem+json") {
    if (body === null) {
      expect(problemsOf(route).map((code) => PROBLEMS[code].status)).toContain(status);
      return;
    }
    const { issues } = v.safeParse(problem, body);
    expect(issues).toBeUndefined();
    expect(problemsOf(route)).toContain(body.code);
    return;
  }
  expect(Object.keys(route.answers)).toContain(String(status));
  const schema = route.answers[status];
  const whole = Array.isArray(body) ? { requestId: "", results: body, complete: true } : body;
  if (schema && body !== null) expect(v.safeParse(schema, whole).issues).toBeUndefined();
}

let spaces = 0;
let handles = 0;

/** Returns the API of a space that no other test uses. */
export const newSpace = () => spaceNamed(`space-${spaces++}`);

/** Returns the API of a space. */
export function spaceNamed(space: string) {
  const within = (method: string, path: string, request: Request = {}) =>
    call(method, pathIn(space, path), request);
  return {
    space,
    call: within,
    get: (path: string, query: Readonly<Record<string, string>> = {}) =>
      within("GET", path, { query }),
    put: (
      path: string,
      body: unknown,
      ifMatch?: unknown,
      query: Readonly<Record<string, string>> = {},
    ) =>
      within("PUT", path, {
        body,
        query,
        ...(ifMatch ? { headers: { "if-match": String(ifMatch) } } : {}),
      }),
    post: (
      path: string,
      headers: Record<string, string> = {},
      query: Readonly<Record<string, string>> = {},
    ) => within("POST", path, { headers, query }),
    delete: (
      path: string,
      headers: Record<string, string> = {},
      query: Readonly<Record<string, string>> = {},
    ) => within("DELETE", path, { headers, query }),
    /** Assigns. A request without a key gets a handle of its own if the test names none. */
    assign: (body: object, key?: string, query: Readonly<Record<string, string>> = {}) =>
      within("POST", "/v1/assign", {
        body: key ? body : { handle: `handle-${handles++}`, ...body },
        query,
        ...(key ? { headers: { "idempotency-key": key } } : {}),
      }),
    release: (body: object) => within("POST", "/v1/release", { body }),
  };
}

/** Returns a space with a pool of 16 blocks of 16 addresses. */
export async function spaceWithPool(pool: object = {}) {
  const plat = newSpace();
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, ...pool });
  return plat;
}

/** Reads all pages of a list, and returns their answers. */
export async function pagesOf(
  { get }: Pick<ReturnType<typeof newSpace>, "get">,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly HttpReply[]> {
  const pages: HttpReply[] = [];
  let cursor: string | undefined;
  do {
    const page = await get(path, { ...query, ...(cursor && { cursor }) });
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    pages.push(page);
    cursor = page.body.next;
  } while (cursor);
  return pages;
}

/** Returns the addresses of an answer as text, in its order. */
export const textsOf = ({ body }: HttpReply): readonly string[] =>
  body.addresses.map(({ address }: { address: string }) => address);
