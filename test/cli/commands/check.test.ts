import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  at,
  cluster,
  inventoryOf,
  listOf,
  nodeOf,
  podOf,
  type Report,
  throughAllocations,
  timeAt,
  whole,
} from "../check/cluster.ts";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { plat, platWith, server, space, call } = terminal();
const { withPool, assign, read } = cluster({ call });
const file = files();

beforeEach(withPool);

/**
 * Checks against an inventory from stdin, this many minutes after the start; returns the findings from the JSON output.
 */
async function checkAt(minutes: number, inventory: string, ...args: readonly string[]) {
  const given = { stdin: inventory, nowMs: at(minutes) };
  const { exit, out, err } = await platWith(
    given,
    "check",
    ...whole(minutes),
    ...args,
    "-o",
    "json",
  );
  return { exit, err, report: JSON.parse(out) as Report };
}

/** Deletes the allocation of a handle, which no caller and no crash can do. */
async function loseAllocation(handle: string): Promise<void> {
  const { store } = server().context;
  const { contents } = await store.scanPage(1_000);
  const allocation = contents.allocations.find(
    (one) => one.handle === handle && one.place.space === space(),
  );
  await store.deleteAllocationOfToken(
    allocation?.place as never,
    allocation?.parts[0]?.token as string,
  );
}

describe("plat check", () => {
  it("counts what the space has, and says that all is as it should be", async () => {
    await assign("web-0");
    await assign("web-1");
    await assign("web-2", { host: "node-2" });
    const { exit, out, err } = await plat("check");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toBe(
      [
        "POOLS   BLOCKS   NODES   HANDLES   ASSIGNED   BORROWED   COOLING",
        "1       2        2       3         3          0          0",
        "",
        "NODE     ASSIGNED",
        "node-1   2",
        "node-2   1",
        "",
        "A node has at most 2 addresses, and 1.5 in the median.",
        "",
        "Every invariant holds.",
        "",
      ].join("\n"),
    );
  });

  it("says the same for programs, as JSON and as YAML", async () => {
    await assign("web-0");
    const json = await platWith({ nowMs: at(0) }, "check", "-o", "json");
    expect(JSON.parse(json.out)).toEqual({
      kind: "PlatCheckReport",
      version: 1,
      space: space(),
      checkedAt: timeAt(0),
      counts: {
        pools: 1,
        blocks: 1,
        handles: 1,
        assigned: 1,
        borrowed: 0,
        cooling: 0,
        nodes: { count: 1, max: 1, median: 1, top: [{ node: "node-1", assigned: 1 }] },
      },
      problems: [],
      untidy: [],
      notes: [],
      candidates: [],
    });
    const yaml = await platWith({ nowMs: at(0) }, "check", "-o", "yaml");
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
  });

  it("tells of every address, with --show-all-ips", async () => {
    const address = await assign("web-0");
    const { out } = await plat("check", "--show-all-ips");
    expect(out).toContain("ADDRESS");
    expect(out).toMatch(new RegExp(`^${address} +web-0 +node-1 +shop +web-0$`, "m"));
    const columns = "custom-columns=IP:.address,POD:.attributes.pod";
    expect((await plat("check", "-o", columns)).out).toBe(
      `IP${" ".repeat(address.length + 1)}POD\n${address}   web-0\n`,
    );
  });

  it("finds an address that no handle leads to, and exits with 4", async () => {
    await assign("web-0");
    await loseAllocation("web-0");
    const { exit, out, err } = await plat("check");
    expect(exit).toBe(4);
    expect(out).toMatch(/^I3 +block .* is taken without an allocation$/m);
    expect(out).not.toContain("1 problem.");
    expect(err).toBe("Warning: 1 problem.\n");
  });

  it("tells nothing that only one of two looks has seen: a walk over a table in use is no snapshot", async () => {
    await assign("web-0");
    let looks = 0;
    throughAllocations(async (items) => (++looks > 1 ? items : []));
    const { exit, out } = await plat("check");
    expect(looks).toBe(2);
    expect({ exit, out }).toEqual({
      exit: 0,
      out: expect.stringContaining("Every invariant holds."),
    });
  });

  it("tells of what the scheduled runs are to put right, and is no less content", async () => {
    const { store } = server().context;
    await store.enterNode({ space: space(), name: "ghost", id: "id", atMs: 0 });
    const { exit, out } = await plat("check");
    expect(exit).toBe(0);
    expect(out).toMatch(/^tidy +the register has a node ghost, which is not there$/m);
    expect(out).toContain("1 leftover; the next scheduled run cleans it up.");
  });

  it("finds nothing of another space", async () => {
    await assign("web-0");
    await loseAllocation("web-0");
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--space", "another");
    expect((await plat("check", "--space", "another")).exit).toBe(0);
    expect((await plat("check")).exit).toBe(4);
  });
});

describe("plat check --inventory", () => {
  it("finds the address of a pod that is not there", async () => {
    const address = await assign("web-0");
    const { exit, report, err } = await checkAt(0, inventoryOf());
    expect(exit).toBe(4);
    expect(report.candidates).toEqual([
      {
        address,
        generation: (await read(address)).generation,
        handle: "web-0",
        host: "node-1",
        affinityType: "host",
        pool: "main",
        attributes: { namespace: "shop", pod: "web-0", node: "node-1" },
        reason: "pod_not_found",
        firstSeenAt: timeAt(0),
        confirmed: false,
      },
    ]);
    expect(err).toContain(
      "Checked 1 address against the inventory: 1 has no owner (0 confirmed). To confirm it, run again with --since and an inventory taken at least 900 s later.\n",
    );
  });

  it("says of an address under a limit of its handle that it is never confirmed", async () => {
    await assign("web-0", { limitPerHandle: 1 });
    const { exit, err } = await checkAt(0, inventoryOf());
    expect(exit).toBe(4);
    expect(err).toContain(
      "1 has no owner (0 confirmed). 1 was assigned under limitPerHandle and is never confirmed, because the handle may use the address again at any moment.",
    );
  });

  it("takes nothing for a leak that is absent from a part which is not covered, and says so", async () => {
    await assign("web-0");
    const given = { stdin: inventoryOf(), nowMs: at(0) };
    const args = ["check", "--inventory", "-", "--taken-at", timeAt(0)];
    const nothing = await platWith(given, ...args);
    expect(nothing.exit).toBe(0);
    expect(nothing.err).toBe(
      "Warning: The inventory covers nothing, so nothing can be a leak.\n  Name what it has completely, such as --covers nodes,pods or --covers pods/NAMESPACE.\n",
    );
    expect((await platWith(given, ...args, "--covers", "pods/blog")).exit).toBe(0);
    expect((await platWith(given, ...args, "--covers", "nodes")).exit).toBe(0);
    expect((await platWith(given, ...args, "--covers", "pods/shop")).exit).toBe(4);
  });

  it("check: says its sentence once, on stderr, and the table on stdout", async () => {
    const address = await assign("web-0");
    const { exit, out, err } = await platWith(
      { stdin: inventoryOf(), nowMs: at(0) },
      "check",
      ...whole(0),
      "--show-problem-ips",
    );
    expect(exit).toBe(4);
    expect(out).toMatch(new RegExp(`^${address} `, "m"));
    expect(out).toMatch(/\nEvery invariant holds\.\n$/);
    expect((out + err).match(/has no owner/g)).toHaveLength(1);
    expect(err).toMatch(/^Warning: Checked 1 address against the inventory: /);
  });

  it("reads several files, and takes the oldest of their times", async () => {
    await assign("web-0");
    const seen = { creationTimestamp: timeAt(0) };
    const nodes = await file(
      "nodes.json",
      listOf({ ...nodeOf("node-1"), metadata: { name: "node-1", ...seen } }),
    );
    const pods = await file(
      "pods.yaml",
      `apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata: {name: x, namespace: y, creationTimestamp: "${timeAt(-5)}"}\n`,
    );
    const { out } = await platWith(
      { nowMs: at(1) },
      ...[
        "check",
        "--inventory",
        nodes,
        "--inventory",
        pods,
        "--covers",
        "nodes",
        "--covers",
        "pods",
      ],
      ...["-o", "json"],
    );
    expect(JSON.parse(out)).toMatchObject({
      inventory: { takenAt: timeAt(-5), nodes: 1, pods: 1 },
      candidates: [{ reason: "pod_not_found" }],
    });
  });
});

describe("a candidate is confirmed", () => {
  const report = () => file("report.json", "");
  const saved = (path: string): Report => JSON.parse(readFileSync(path, "utf8"));

  it("by a second inventory that was taken after the grace period, and a look at the address itself", async () => {
    const address = await assign("web-0");
    const path = await report();
    await checkAt(0, inventoryOf(), "--report", path);
    expect(saved(path).candidates).toMatchObject([{ firstSeenAt: timeAt(0), confirmed: false }]);
    const soon = await checkAt(14, inventoryOf(), "--since", path, "--report", path);
    expect(soon.report.candidates).toMatchObject([{ firstSeenAt: timeAt(0), confirmed: false }]);
    const later = await checkAt(15, inventoryOf(), "--since", path, "--report", path);
    expect(later.report.candidates).toMatchObject([
      { address, firstSeenAt: timeAt(0), confirmed: true },
    ]);
    expect(saved(path)).toEqual(later.report);
  });

  it("sooner with a shorter grace period", async () => {
    await assign("web-0");
    const path = await report();
    await checkAt(0, inventoryOf(), "--report", path);
    const soon = await checkAt(1, inventoryOf(), "--since", path, "--grace-seconds", "60");
    expect(soon.report.candidates).toMatchObject([{ confirmed: true }]);
  });

  it("not while the brake is on: so many at once look like an outage or a wrong inventory", async () => {
    const addresses: string[] = [];
    for (let n = 0; n < 14; n++) addresses.push(await assign(`web-${n}`));
    const path = await report();
    const current = addresses.slice(0, 3).map((ip, n) => podOf(`web-${n}`, [ip]));
    const first = await checkAt(0, inventoryOf(...current), "--report", path);
    expect(first.report.brake).toEqual({ applied: true, percent: 30, judged: 14, candidates: 11 });
    // Counts without a finding are printed on stdout only.
    expect(first.err).toMatch(
      /^Warning: Checked 14 addresses .*: 11 have no owner, which is more than 30 %\. This looks like an outage or a wrong inventory, so nothing is confirmed\.\n$/,
    );
    const sure = await checkAt(0, inventoryOf(...current), "--brake-percent", "80");
    expect(sure.report.brake).toEqual({ applied: false, percent: 80, judged: 14, candidates: 11 });
  });
});

describe("a line that cannot be right sends nothing, and exits with 2", () => {
  const refused = async (message: string, stdin: string, ...args: readonly string[]) => {
    const { exit, out, err } = await platWith({ stdin, nowMs: at(0) }, "check", ...args);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(message);
  };

  it.each<[string, string, readonly string[]]>([
    ["stdin is not complete JSON", inventoryOf().slice(0, -5), whole(0)],
    ["name it with --inventory FILE", "", ["--covers", "nodes"]],
    ["--taken-at is in the future", inventoryOf(), whole(1)],
    ["It must be a time such as", inventoryOf(), ["--inventory", "-", "--taken-at", "noon"]],
    ["from 0 to 100", inventoryOf(), [...whole(0), "--brake-percent", "101"]],
    ["/nowhere cannot be read", "", ["--inventory", "/nowhere"]],
    ["--since needs an inventory", "", ["--since", "/nowhere"]],
    ["/nowhere/report cannot be written", inventoryOf(), ["--report", "/nowhere/report"]],
  ])("%s", (message, stdin, args) => refused(message, stdin, ...args));

  it("a report with a field twice", async () => {
    const path = await file("odd.json", '{"kind": "PlatCheckReport", "kind": "List"}');
    const message = `${path}: the field kind is there more than once.`;
    await refused(message, inventoryOf(), ...whole(0), "--since", path);
  });

  it.each<[string, string]>([
    ["is not a report of plat check: kind must be PlatCheckReport", '{"kind": "List"}'],
    [
      "is of space elsewhere",
      `{"kind": "PlatCheckReport", "version": 1, "space": "elsewhere", "checkedAt": "${timeAt(0)}", "candidates": []}`,
    ],
  ])("a report that %s", async (message, text) => {
    const path = await file("odd.json", text);
    await refused(`${path} ${message}`, inventoryOf(), ...whole(0), "--since", path);
  });
});
