import "../src/local/environment.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Client, makeClient } from "../src/local/client.ts";
import { tableText } from "../src/local/tally.ts";
import { type Started, start } from "../test/local/process.ts";
import { whole } from "./load/options.ts";

/**
 * `npm run bench:pairs`: prints the pairs of an assign and a release by generation that `npm start` serves per second.
 * It measures each table, by callers and hosts. Each server is a process of its own; the callers, in this process, keep
 * their connections. The tables take turns, case by case and round by round, so that disturbances affect all of them.
 */

/** The cases of the comparison with Calico's client on etcd, and its pairs per second on two idle cores. */
const CASES = [
  { callers: 1, hosts: 1, calicoOnEtcd: 123 },
  { callers: 8, hosts: 1, calicoOnEtcd: 78 },
  { callers: 64, hosts: 1, calicoOnEtcd: 23 },
  { callers: 64, hosts: 64, calicoOnEtcd: 347 },
] as const;
type Case = (typeof CASES)[number];

const TABLES = {
  memory: ["--memory"],
  file: ["--data"],
  dynamodb: ["--dynamodb", "--data"],
} as const;
type TableName = keyof typeof TABLES;

const POOL = { cidr: "10.0.0.0/12", blockSize: 26 };
/** Calico assigns a released address immediately. */
const SETTINGS = { cooldownSeconds: 0, maxBlocksPerHost: 1_000 };
/** An interval so long that no scheduled run starts during a measurement. */
const NEVER = "86400";
const WARM_UP_MS = 1_000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    tables: { type: "string", default: Object.keys(TABLES).join() },
  },
});
const measuredMs = 1_000 * whole("seconds", values.seconds);
const rounds = whole("rounds", values.rounds);
const tables = values.tables.split(",").map(tableNamed);

interface Site {
  readonly table: TableName;
  readonly plat: Started;
  readonly client: Client;
  /** The pairs per second of each round, by case. */
  readonly measured: Map<Case, number[]>;
}

const directory = await mkdtemp(join(tmpdir(), "plat-"));
const sites = await Promise.all(tables.map(open));
for (let round = 1; round <= rounds; round++)
  for (const group of CASES)
    for (const site of sites) {
      await pairs(site, group, WARM_UP_MS);
      const perSecond = await pairs(site, group, measuredMs);
      site.measured.set(group, [...(site.measured.get(group) ?? []), perSecond]);
      const { callers, hosts } = group;
      console.log(
        `round ${round}: ${callers} callers, ${hosts} hosts, ${site.table}: ${perSecond.toFixed(0)}`,
      );
    }
console.log(
  `\nPairs of assign and release a second: the middle of ${rounds} rounds of ${values.seconds} s each.\n`,
);
console.log(tableText(CASES.map(rowOf)));
for (const { client, plat } of sites) {
  client.close();
  plat.process.kill("SIGTERM");
  await plat.ended;
}
await rm(directory, { recursive: true });

function tableNamed(name: string): TableName {
  if (Object.hasOwn(TABLES, name)) return name as TableName;
  console.error(`--tables has "${name}"; there are ${Object.keys(TABLES).join(", ")}.`);
  process.exit(2);
}

async function open(table: TableName): Promise<Site> {
  const data = TABLES[table].flatMap((option) =>
    option === "--data" ? [option, join(directory, table)] : [option],
  );
  const timers = ["reclaim", "repair", "work"].flatMap((run) => [`--${run}-seconds`, NEVER]);
  const plat = await start(["--port", "0", ...data, ...timers]);
  const client = makeClient(plat.url, Math.max(...CASES.map(({ callers }) => callers)));
  await expect(client.call("PUT", "/v1/config", SETTINGS), 201);
  await expect(client.call("PUT", "/v1/pools/pods", POOL), 201);
  return { table, plat, client, measured: new Map() };
}

/** Returns the pairs per second of all callers of the case together. */
async function pairs({ client }: Site, { callers, hosts }: Case, ms: number): Promise<number> {
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + ms;
  let done = 0;
  const calling = Array.from({ length: callers }, async (_, caller) => {
    const host = `node-${callers}-${caller % hosts}`;
    const attributes = { pod: `pod-${caller}` };
    for (let n = 0; performance.now() < untilMs; n++) {
      const request = { host, ipv4: 1, handle: `pod-${callers}-${caller}-${n}`, attributes };
      const { body } = await served(() => client.call("POST", "/v1/assign", request));
      const [{ address, generation }] = body.addresses;
      const release = { addresses: [{ address, generation }] };
      const told = await served(() => client.call("POST", "/v1/release", release));
      if (told.body.results[0].status !== "released")
        throw new Error(`the release of ${address} answered ${told.body.results[0].status}`);
      done++;
    }
  });
  await Promise.all(calling);
  return done / ((performance.now() - startedAtMs) / 1_000);
}

function rowOf(group: Case): Record<string, string | number> {
  const { callers, hosts, calicoOnEtcd } = group;
  const figures = new Map(
    sites.map(({ table, measured }) => [table, middle(measured.get(group) ?? [])]),
  );
  const file = figures.get("file");
  const ratio = (to: number | undefined) =>
    file === undefined || to === undefined ? "" : (file / to).toFixed(2);
  return {
    callers,
    hosts,
    ...Object.fromEntries([...figures].map(([table, figure]) => [table, figure.toFixed(0)])),
    "file/memory": ratio(figures.get("memory")),
    "file/dynamodb": ratio(figures.get("dynamodb")),
    "Calico on etcd": calicoOnEtcd,
    "file/Calico": ratio(calicoOnEtcd),
  };
}

function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

/** Repeats a call that a slow table throttles. */
async function served(call: () => ReturnType<Client["call"]>) {
  let reply = await call();
  while (reply.status > 500) reply = await call();
  return expect(Promise.resolve(reply), 200);
}

async function expect(call: ReturnType<Client["call"]>, status: number) {
  const reply = await call;
  if (reply.status !== status)
    throw new Error(`expected ${status}, got ${reply.status}: ${reply.body.detail}`);
  return reply;
}
