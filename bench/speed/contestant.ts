import "../../src/local/environment.ts";
import { createServer } from "node:http";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { close, listen } from "../../src/local/http-server.ts";
import { startWithStorage } from "../../src/local/plat.ts";
import { openStorage, type Storage } from "../../src/local/storage.ts";
import { flushedTable, LmdbTable } from "../../src/store/lmdb-table.ts";
import { absent, equals } from "../../src/table/clause.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import { openEnvironment } from "../../src/table/lmdb-environment.ts";
import type { Change, Table } from "../../src/table/table.ts";
import type { Answer, ContestantName, Question } from "./contestants.ts";

/**
 * A process of `contestants.ts`: a server, or writes to a file without a server. It says when it is ready, and answers
 * each question with the processor time that it has used.
 */

/** An interval so long that no scheduled run starts. */
const NEVER_SECONDS = 86_400;
const SLOTS = 64;
const TAG_BYTES = 20;

const [name, directory = ""] = process.argv.slice(2) as [ContestantName, string];
const data = join(directory, name.replace(" ", "-"));
const say = (answer: Answer) => process.send?.(answer);
const sayTime = (pairs: number) => {
  const { user, system } = process.cpuUsage();
  say({ processorMs: (user + system) / 1_000, pairs });
};

const { url, write, stop } = await begin();
process.on("message", async (question: Question) => {
  if (question === "processor") return sayTime(0);
  if (question !== "stop") return sayTime((await write?.(question)) ?? 0);
  await stop();
  process.exit(0);
});
say({ url });

async function begin() {
  switch (name) {
    case "echo":
      return echo();
    case "raw writes":
      return raw(flushedTable(new LmdbTable(await openEnvironment(lmdb, `${data}.lmdb`))));
    case "memory alone":
      return plat({ ...(await openStorage({ table: "memory" })), table: new InMemoryTable() });
    case "file alone": {
      const table = new LmdbTable(await openEnvironment(lmdb, `${data}.lmdb`));
      const onDisk = () => table.onDisk();
      return plat({ table, onDisk, sentence: "", lost: table.lost, stop: () => table.close() });
    }
    case "memory":
      return plat(await openStorage({ table: name }));
    default:
      return plat(await openStorage({ table: name, data }));
  }
}

async function plat(storage: Storage) {
  const { publish, ...others } = storage;
  const never = { reclaimSeconds: NEVER_SECONDS, repairSeconds: NEVER_SECONDS };
  const serving = await startWithStorage(name.endsWith("alone") ? others : storage, {
    port: 0,
    ...never,
    workSeconds: NEVER_SECONDS,
  });
  return { url: serving.url, write: undefined, stop: () => serving.stop() };
}

/** Serves bodies of the size of Plat's, which it parses and makes as JSON. */
async function echo() {
  const address = "10.0.57.155";
  const generation = "g1.I5IdxqnHgsBSWy8.4a00399b.26.af63e54c8601fbd7.i5IdxqnIBohtuTMI.1";
  const place = { family: 4, block: "10.0.57.128/26", pool: "pods", borrowed: false };
  const requestId = "77cf9b52-ac90-4be9-a2ce-cbea8b91318c";
  const answers: Readonly<Record<string, (asked: { handle?: string }) => object>> = {
    "/v1/assign": ({ handle }) => ({
      ...{ requestId, handle, requested: 1, messages: [], missing: [] },
      addresses: [{ ...place, address, generation, cidr: `${address}/12` }],
    }),
    "/v1/release": () => ({ requestId, results: [{ address, status: "released" }] }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
      const body = JSON.stringify(answers[request.url ?? ""]?.(asked) ?? {});
      response.writeHead(answers[request.url ?? ""] ? 200 : 201, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  const port = await listen(server, 0);
  return { url: `http://127.0.0.1:${port}`, write: undefined, stop: () => close(server) };
}

/** Makes the four writes of a pair, one after the other for each caller, whose items have the sizes of Plat's. */
function raw(table: Table) {
  return {
    url: "",
    stop: async () => {},
    async write({ callers, ms }: Exclude<Question, string>): Promise<number> {
      const untilMs = performance.now() + ms;
      let pairs = 0;
      await Promise.all(
        Array.from({ length: callers }, async (_, caller) => {
          const block: Key = { pk: `BLOCK#${caller}`, sk: "0" };
          const allocation = (n: number): Key => ({ pk: `HANDLE#${caller}-${n}`, sk: "ID" });
          await done(table, block, { kind: "put", item: { ...block, slots: SLOTS_FULL } });
          for (let n = 0; performance.now() < untilMs; n++) {
            const path = ["slots", String(n % SLOTS)] as const;
            const [from, to] = [tag(0), tag(1)];
            const key = allocation(n);
            const item = { ...key, parts: { [key.pk]: tag(0) }, text: "x".repeat(300) };
            await done(table, key, { kind: "put", item }, [absent("absent", "pk")]);
            await done(table, block, set(path, to), [equals("slot", from, ...path)]);
            await done(table, block, set(path, from), [equals("slot", to, ...path)]);
            await done(table, key, { kind: "delete" });
            pairs++;
          }
        }),
      );
      return pairs;
    },
  };
}

const set = (path: readonly [string, string], value: Uint8Array): Change => ({
  kind: "update",
  set: [[path, value]],
});

const tag = (kind: number): Uint8Array => new Uint8Array(TAG_BYTES).fill(kind);

const SLOTS_FULL: Item[string] = Object.fromEntries(
  Array.from({ length: SLOTS }, (_, ordinal) => [ordinal, tag(0)]),
);

async function done(
  table: Table,
  key: Key,
  change: Change,
  when: Parameters<Table["write"]>[0]["when"] = [],
): Promise<void> {
  const { outcome } = await table.write({ step: "raw", key, when, change });
  if (outcome !== "done") throw new Error(`a raw write was ${outcome}`);
}
