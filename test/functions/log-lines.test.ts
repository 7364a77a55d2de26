import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { probeOver } from "../../functions/probe.ts";
import { reclaimOver } from "../../functions/reclaim.ts";
import { repairOver } from "../../functions/repair.ts";
import { workOver } from "../../functions/work.ts";
import { logger } from "../../src/api/http/logger.ts";
import { PROBLEMS } from "../../src/api/schema/problem.ts";
import { EVERY_SHARD } from "../../src/base/hash.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import type { Item } from "../../src/table/item.ts";
import { KIND_NAMES, kindNameOf } from "../../src/table/kinds.ts";
import { nodeEvent } from "../node-objects.ts";
import { CALLS } from "../operations/calls.ts";
import { type Furnished, furnished } from "../operations/furnished.ts";
import { replace } from "../operations/items.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { startAnew, table, takeIn, wired } from "./plat.ts";

/**
 * These tests make items of every kind unreadable, send requests to every route, and let the scheduled runs and the
 * intake run. Each text in a log line must be one that the program has; any other may be a name of a caller.
 */

/** Returns the scheduled runs, over what the functions have now. */
const runs = () => ({
  reclaim: reclaimOver(wired()),
  repair: repairOver(wired()),
  work: workOver(wired()),
  probe: probeOver(wired()),
});

/** A text that stands in place of each attribute of an unreadable item. */
const SECRET = "hunter2-AKIAIOSFODNN7EXAMPLE";

let lines: string[] = [];

beforeAll(() => {
  logger.setLogLevel("DEBUG");
  return () => logger.setLogLevel("SILENT");
});

beforeEach(() => {
  lines = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      lines.push(...String(text).trim().split("\n"));
      return true;
    });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ROUTE = new Set(ROUTES.flatMap(({ method, path }) => [`${method} ${path}`]));
const KINDS: ReadonlySet<string> = new Set(KIND_NAMES);
const FRAME = /^ +at (async )?([\w.#<> [\]$]+ \()?(file:\/\/|\/|node:)[^ ]+:\d+:\d+\)?$/;

/** The texts that each field of a line may have. A field that is not here may have numbers and flags only. */
const TEXTS: Readonly<Record<string, (text: string) => boolean>> = {
  level: (text) => ["DEBUG", "INFO", "WARN", "ERROR"].includes(text),
  message: (text) =>
    /^(answered|rejected|failed|not served for now|took in|reclaimed|repaired|worked)$/.test(text),
  timestamp: (text) => !Number.isNaN(Date.parse(text)),
  service: (text) => text === "plat",
  sampling_rate: () => false,
  code: (text) => Object.hasOwn(PROBLEMS, text),
  codes: (text) => Object.hasOwn(PROBLEMS, text),
  route: (text) => ROUTE.has(text.replace("/v1/spaces/{space}/", "/v1/")),
  requestId: (text) => /^(request-\d+|reclaim|repair|work|probe|intake)$/.test(text),
  messageIds: (text) => /^\d+$/.test(text),
  "error.name": (text) => /^([A-Z]\w*)?(Error|Exception|Rejection)$/.test(text),
  "error.kind": (text) => KINDS.has(text) || text === "unknown",
  "error.problem": (text) =>
    /^(cannot be read|has format \d+, and this version reads format \d+|has no known format, and this version reads format \d+)$/.test(
      text,
    ),
  "error.message": (text) => MESSAGES.some((message) => message.test(text)),
  "error.code": (text) => Object.hasOwn(PROBLEMS, text),
  "error.stack": (text) => text.split("\n").every((frame) => FRAME.test(frame)),
};

/** The messages that say nothing of a caller. */
const MESSAGES = [/^the database (throttled|did not answer) a (read|write)$/];

/** Returns the texts of a line that the program does not have by itself, each with its field. */
function foreign(line: string): string[] {
  const found: string[] = [];
  const visit = (field: string, value: unknown): void => {
    if (typeof value === "string") {
      if (!TEXTS[field]?.(value)) found.push(`${field}: ${value}`);
    } else if (Array.isArray(value)) for (const each of value) visit(field, each);
    else if (typeof value === "object" && value !== null)
      for (const [name, each] of Object.entries(value)) {
        const inError = field === "error" || field.startsWith("error.");
        visit(inError ? (name === "cause" ? "error" : `error.${name}`) : name, each);
      }
  };
  visit("", JSON.parse(line));
  return found;
}

const foreignTexts = () => lines.flatMap(foreign);

/** Sends every request, in a sample every third, and lets every scheduled run and the intake run. */
async function everything(of: Furnished, number: number): Promise<void> {
  const step = oneIn(3);
  for (const { send } of Object.values(CALLS).filter((_, at) => at % step === number % step)) {
    startAnew();
    await send(of);
  }
  await takeIn(of.plat.space, [
    nodeEvent("MODIFIED", "n7", { version: 103 }),
    nodeEvent("DELETED", "n7", { version: 104 }),
  ]);
  await scheduled();
}

async function scheduled(): Promise<void> {
  startAnew();
  // Without its notes the repair run does not know the size of the table, so it walks over all of it.
  table.partitions.delete("SWEEP");
  const { reclaim, repair, work } = runs();
  await reclaim({ shards: EVERY_SHARD }).catch(() => {});
  await repair({ shards: EVERY_SHARD }).catch(() => {});
  await work().catch(() => {});
}

const SPOILS: Readonly<Record<string, (item: Item) => Item>> = {
  "of a newer format": (item) => ({ ...item, f: Number(item.f) + 1 }) as Item,
  "whose values are other texts": (item) =>
    Object.fromEntries(
      Object.entries(item).map(([name, value]) =>
        ["pk", "sk", "f", "k"].includes(name) ? [name, value] : [name, SECRET],
      ),
    ) as Item,
};

/** Each way with all kinds, or in a sample with every second one, so that each kind is spoiled once. */
const SPOILED = Object.entries(SPOILS).map(([way, spoil], n) => {
  const step = oneIn(2);
  return { way, spoil, kinds: KIND_NAMES.filter((_, at) => at % step === n % step) };
});

describe.each(SPOILED)("items $way", ({ spoil, kinds }) => {
  it.each(kinds)("of the kind %s put no name into a log line", async (kind) => {
    const of = await furnished();
    const written = table
      .items()
      .filter((item) => kindNameOf(item) === kind && !["TABLE", "SWEEP"].includes(item.pk));
    lines = [];
    for (const item of written) replace(spoil(item));
    try {
      await everything(of, KIND_NAMES.indexOf(kind));
    } finally {
      for (const item of written) replace(item);
    }
    expect(foreignTexts()).toEqual([]);
    expect(lines.join("\n")).not.toContain(SECRET);
  });
});

describe("a table that fails with an error of its own", () => {
  const broken = () =>
    Promise.reject(new SyntaxError(`Unexpected token at "${SECRET}"\n    at ${SECRET} (a:1:1)`));

  it("puts no text of the error into a log line, nor into the error that Lambda logs", async () => {
    const of = await furnished();
    lines = [];
    const methods = ["get", "query", "scan", "due", "write"] as const;
    for (const method of methods) vi.spyOn(table, method).mockImplementation(broken);
    for (const { send } of Object.values(CALLS)) {
      startAnew();
      await send(of);
    }
    const thrown: Error[] = [];
    for (const run of [
      () => runs().reclaim({ shards: [1] }),
      () => runs().repair({ shards: [1] }),
      () => runs().work(),
      () => runs().probe(),
      () => takeIn(of.plat.space, [nodeEvent("MODIFIED", "n7", { version: 105 })]),
    ])
      await run().catch((error: Error) => void thrown.push(error));
    for (const method of methods) vi.mocked(table[method]).mockRestore();
    expect(lines.length).toBeGreaterThan(Object.keys(CALLS).length);
    expect(foreignTexts()).toEqual([]);
    expect(lines.join("\n")).not.toContain(SECRET);
    // Lambda logs a thrown error, with its message and its stack.
    expect(thrown.map(String)).toEqual(
      Array(5).fill("FailedRunError: the run failed; the line before this one has the reason"),
    );
    for (const { stack, cause } of thrown) expect([stack, cause].join()).not.toContain(SECRET);
  });
});
