/**
 * Checks that the tests of each function use every right that it has to the table: `npm run test:rights -- FILE`.
 * `RIGHTS_USED=FILE npm test` writes the file. The tests themselves check that no function goes beyond its rights.
 */
import { readFileSync } from "node:fs";
import { ACCESS, ACTIONS, HISTORY_ACCESS } from "../../cdk/access.ts";

/** Rights that the tests of functions do not use, and what needs them. The tests of the walks use each of them. */
const EXCUSED: readonly { readonly why: string; readonly rights: readonly string[] }[] = [
  {
    why: "A request that is given up, or resumed after a crash, takes back what it wrote: test/simulation/crash-points.test.ts.",
    rights: ["HANDLE", "HOST", "QUOTA", "INDEX"].map((part) => `assign delete ${part}`),
  },
  {
    why: "The allocation of a kept instance is read again if the write that closes it got no answer: test/simulation/crash-points.test.ts.",
    rights: ["applications get HANDLE"],
  },
  {
    why: "Hints that a pool is full, set where several pools serve a host and cleared where one has room again: test/kernel/blocks/scan-pool.test.ts and test/kernel/reclaim/reclaim.test.ts.",
    rights: [
      ...["assign delete", "affinities query", "affinities put", "affinities delete"],
      ...["nodes query", "nodes put", "nodes delete"],
      ...["reclaim query", "reclaim put", "reclaim delete", "work delete", "repair delete"],
    ].map((right) => `${right} FULLPOOLS`),
  },
  {
    why: "Hints of what full block groups can lend: test/kernel/blocks/lending-hint.test.ts.",
    rights: [
      ...["assign", "release", "affinities", "applications", "nodes", "probe", "reclaim"],
      ...["work", "repair"],
    ]
      .map((name) => `${name} update FULLPOOLS`)
      .concat("work query FULLPOOLS"),
  },
  {
    why: "A function that is warm for seconds reads the version again, and the first call of a process the format of the keys. In the tests all functions are one process.",
    rights: Object.keys(ACCESS).flatMap((name) => [`${name} get VERSION`, `${name} get TABLE`]),
  },
  {
    why: "Events do the same from a queue as in a request: test/functions/events.test.ts uses these rights of nodes.",
    rights: Object.keys(ACTIONS).flatMap((kind) =>
      (ACCESS.intake?.[kind as keyof typeof ACTIONS] ?? []).map((part) => `intake ${kind} ${part}`),
    ),
  },
  {
    why: "An application may be the first item of a table, and then its request writes the format of the keys. In the tests all functions have one table.",
    rights: ["applications put TABLE"],
  },
  {
    why: "A smaller application ends what its instances keep, also in a block that was full: the simulation, whose scalers have these rights.",
    rights: ["applications delete HOST"],
  },
  {
    why: "A block without its affinity, a run that stops midway, a full block group that has room again, a space without pools: test/kernel/reclaim/reclaim.test.ts.",
    rights: ["get BLOCK", "update GROUPINDEX", "update SPACES", "delete SPACES"].map(
      (right) => `reclaim ${right}`,
    ),
  },
  {
    why: "A job that another worker changed, one that is a week old, a pool that is marked, a block group that has room again: test/maintenance/run-jobs.test.ts.",
    rights: ["work get JOBS", "work delete JOBS", "work put SPACE", "work update GROUPINDEX"],
  },
  {
    why: "A block that changes while a job takes it from its host is read again: test/simulation/interleavings.test.ts.",
    rights: ["work get BLOCK"],
  },
  {
    why: "The repair run mends what crashes left, and goes on after a page of a large table: test/maintenance/recovery.test.ts and test/simulation/crash-points.test.ts.",
    rights: [
      ...["get HANDLE", "get HOST", "query HANDLE", "query GROUPINDEX"],
      ...["put HANDLE", "put HOST", "put NODES", "put TABLE", "update BLOCK", "update GROUPINDEX"],
      ...["BLOCK", "HANDLE", "HOST", "QUOTA", "NODES", "GROUPINDEX"].map(
        (part) => `delete ${part}`,
      ),
    ].map((right) => `repair ${right}`),
  },
  {
    why: "The probe assigns and releases as callers do, but from a pool of its own that is never full: test/functions/probe.test.ts.",
    rights: [
      ...["get BLOCK", "query FULLPOOLS", "put FULLPOOLS", "delete FULLPOOLS", "delete HOST"],
    ].map((right) => `probe ${right}`),
  },
  {
    why: "A batch assigns and releases by the walks of the functions assign and release, whose tests use these rights: test/kernel/batch/batch.test.ts.",
    rights: Object.keys(ACTIONS).flatMap((kind) =>
      (ACCESS.batch?.[kind as keyof typeof ACTIONS] ?? []).map((part) => `batch ${kind} ${part}`),
    ),
  },
  {
    why: "NetBox's dialect assigns and releases by the same walks: test/functions/netbox.test.ts uses the rights that its own routes need.",
    rights: Object.keys(ACTIONS).flatMap((kind) =>
      (ACCESS.netbox?.[kind as keyof typeof ACTIONS] ?? []).map((part) => `netbox ${kind} ${part}`),
    ),
  },
  {
    why: "The repair run finishes an index whose PUT was cut off: test/nouns/pool/operations/build-indexes.test.ts.",
    rights: ["repair put SPACE", "repair update VERSION"],
  },
  {
    why: "The repair run writes index entries anew and deletes those that are left, and an entry goes with whatever closes its allocation: test/nouns/address/operations/indexes.test.ts.",
    rights: [
      ...["get", "put", "delete"].map((kind) => `repair ${kind} INDEX`),
      ...["applications", "nodes"].map((name) => `${name} delete INDEX`),
    ],
  },
  {
    why: "The repair run turns the rounds of budgets, and who closes an allocation gives back to them. A dry run reads a budget before it would write it: test/kernel/quotas and test/simulation/crash-points.test.ts.",
    rights: [
      ...["get", "put", "update", "delete"].map((kind) => `repair ${kind} BUDGET`),
      ...["applications update BUDGET", "nodes get BUDGET", "applications get BUDGET"],
    ],
  },
  {
    why: "A dry run of an application or of a CiliumNode reads each item that it would write, as test/cdk/access.test.ts holds.",
    rights: ["FULLPOOLS", "HOST", "INDEX"]
      .map((part) => `applications get ${part}`)
      .concat("nodes get INDEX"),
  },
  {
    why: "The repair run deletes the usage of a pool that is gone: test/kernel/reclaim/pass-count.test.ts.",
    rights: ["repair delete USAGE"],
  },
  {
    why: "The repair run ends nodes whose quarantine is over: test/nouns/node/operations/end-node.test.ts.",
    rights: [
      ...["get NODE", "query NODE", "query NODES", "put NODE"],
      ...["update HOST", "delete NODE", "delete MACHINE"],
    ].map((right) => `repair ${right}`),
  },
  {
    why: "The publisher reads owners and pools, and writes the history: test/publish/publisher.test.ts, and test/twin/publishing.test.ts with the rights of the deployment.",
    rights: [
      ...["query HANDLE", "query SPACE", "get history ADDRESS", "query history COPY"],
      ...["ADDRESS", "COPY", "EVENTS", "HANDLE"].map((part) => `put history ${part}`),
      "delete history ADDRESS",
    ].map((right) => `publish ${right}`),
  },
];

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("say which file: RIGHTS_USED=FILE npm test wrote it");
const used = new Set(readFileSync(file, "utf8").split("\n"));

const granted = Object.entries(ACCESS).flatMap(([name, access]) => [
  ...Object.keys(ACTIONS).flatMap((kind) =>
    (access?.[kind as keyof typeof ACTIONS] ?? []).map((part) => `${name} ${kind} ${part}`),
  ),
  ...Object.keys(ACTIONS).flatMap((kind) =>
    (HISTORY_ACCESS[name as keyof typeof ACCESS]?.[kind as keyof typeof ACTIONS] ?? []).map(
      (part) => `${name} ${kind} history ${part}`,
    ),
  ),
  ...(["scan", "due"] as const).filter((kind) => access?.[kind]).map((kind) => `${name} ${kind}`),
]);
const excused = new Set(EXCUSED.flatMap(({ rights }) => rights));
const inVain = granted.filter((right) => !used.has(right) && !excused.has(right));
for (const right of inVain) console.log(`No test uses the right: ${right}`);
console.log(`${granted.length} rights to the table, ${inVain.length} of them in vain`);
process.exitCode = inVain.length === 0 ? 0 : 1;
