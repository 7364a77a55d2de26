import { readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import {
  afterAllocations,
  at,
  cluster,
  inventoryOf,
  podOf,
  type Report,
  timeAt,
  whole,
} from "../check/cluster.ts";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { platWith, call, space } = terminal();
const { withPool, assign, assignMany, release, stateOf } = cluster({ call });
const file = files();

let state: string;
let tests = 0;
beforeEach(async () => {
  await withPool();
  // A file that does not exist, because the first run creates it.
  state = `${dirname(await file("x", ""))}/state-${tests++}.json`;
});

async function repairAt(minutes: number, inventory: string, ...args: readonly string[]) {
  const given = { stdin: inventory, nowMs: at(minutes) };
  const ended = await platWith(
    given,
    ...["collect", ...whole(minutes), "--state", state, "-o", "json", ...args],
  );
  return { ...ended, summary: JSON.parse(ended.out || "{}") };
}

const stored = (): Report => JSON.parse(readFileSync(state, "utf8"));

describe("plat collect", () => {
  it("releases what is nobody's in two runs a grace period apart, and says so in one line", async () => {
    const [gone, used] = [await assign("gone"), await assign("used")];
    const inventory = inventoryOf(podOf("used", [used]));
    const first = await repairAt(0, inventory);
    expect(first.exit).toBe(0);
    expect(first.out).toBe(`${JSON.stringify(first.summary)}\n`);
    expect(first.summary).toEqual({
      event: "collected",
      space: space(),
      time: timeAt(0),
      assigned: 2,
      judged: 2,
      candidates: 1,
      newCandidates: 1,
      byReason: { pod_not_found: 1 },
      confirmed: 0,
      released: 0,
      skipped: 0,
      brake: false,
      addresses: [],
    });
    expect(stored().candidates).toMatchObject([{ address: gone, firstSeenAt: timeAt(0) }]);
    const soon = await repairAt(10, inventory);
    expect(soon.summary).toMatchObject({ candidates: 1, newCandidates: 0, released: 0 });
    const later = await repairAt(15, inventory);
    expect(later.summary).toMatchObject({ confirmed: 1, released: 1, addresses: [gone] });
    expect([await stateOf(gone), await stateOf(used)]).toEqual(["free", "assigned"]);
    expect((await repairAt(30, inventory)).summary).toMatchObject({ candidates: 0, released: 0 });
    expect(stored().candidates).toEqual([]);
  });

  it("leaves the address of a second interface, which the status of its pod lacks", async () => {
    const first = await assign("web-0");
    const second = await assign("web-0", { attributes: { network: "storage", ifName: "net1" } });
    const pod = podOf("web-0", [first]);
    for (const minutes of [0, 15])
      expect((await repairAt(minutes, inventoryOf(pod))).summary).toMatchObject({
        assigned: 2,
        judged: 1,
        candidates: 0,
      });
    const status = JSON.stringify([{ name: "shop/storage", interface: "net1", ips: [second] }]);
    const annotations = { "k8s.v1.cni.cncf.io/network-status": status };
    const attached = { ...pod, metadata: { ...pod.metadata, annotations } };
    expect((await repairAt(30, inventoryOf(attached))).summary).toMatchObject({
      judged: 2,
      candidates: 0,
    });
    expect(await stateOf(second)).toBe("assigned");
  });

  it("leaves an address that was assigned anew while it looked", async () => {
    const address = await assign("web-0");
    await repairAt(0, inventoryOf());
    afterAllocations(async () => {
      await release("web-0");
      await assign("web-1", { address });
    });
    const { summary } = await repairAt(20, inventoryOf());
    expect(summary).toMatchObject({ candidates: 1, confirmed: 0, released: 0 });
    expect(await stateOf(address)).toBe("assigned");
  });

  it("skips an address that is assigned anew between the last look and its release", async () => {
    const address = await assign("web-0");
    await repairAt(0, inventoryOf());
    const THE_RELEASE = 2;
    afterAllocations(async () => {
      await release("web-0");
      await assign("web-1", { address });
    }, THE_RELEASE);
    const { summary } = await repairAt(20, inventoryOf());
    expect(summary).toMatchObject({ confirmed: 1, released: 0, skipped: 1 });
    expect(await stateOf(address)).toBe("assigned");
    expect((await repairAt(20, inventoryOf(podOf("web-1", [address])))).summary).toMatchObject({
      candidates: 0,
    });
  });

  it("releases nothing while the brake is on, fails so that somebody looks, and goes on after the outage", async () => {
    const addresses: string[] = [];
    for (let n = 0; n < 14; n++) addresses.push(await assign(`web-${n}`));
    const pods = addresses.map((ip, n) => podOf(`web-${n}`, [ip]));
    await repairAt(0, inventoryOf(...pods.slice(1)));
    const outage = await repairAt(20, inventoryOf());
    expect(outage.exit).toBe(4);
    expect(outage.summary).toMatchObject({
      brake: true,
      candidates: 14,
      confirmed: 0,
      released: 0,
    });
    expect(outage.err).toBe(
      "Warning: The brake is on: 14 of 14 addresses seem to have no owner, which is more than 30 %. Nothing was released.\n",
    );
    const after = await repairAt(40, inventoryOf(...pods.slice(2)));
    // The first candidate was seen before the outage. The second was first seen during it, which proves nothing.
    expect(after.summary).toMatchObject({ candidates: 2, newCandidates: 1, released: 1 });
    expect(await stateOf(addresses[0] as string)).toBe("free");
    expect(await stateOf(addresses[1] as string)).toBe("assigned");
  });

  it("writes its state whole or not at all, and beside it nothing", async () => {
    await assign("web-0");
    await repairAt(0, inventoryOf());
    expect(readdirSync(dirname(state)).filter((name) => name.includes(".new"))).toEqual([]);
    const before = stored();
    const { exit } = await repairAt(15, inventoryOf().slice(0, -3));
    expect(exit).toBe(2);
    expect(stored()).toEqual(before);
  });

  it("releases nothing where its state cannot be written", async () => {
    const address = await assign("web-0");
    await repairAt(0, inventoryOf());
    // The file beside it, which is to replace it, would have a name that is too long.
    const long = join(dirname(state), "x".repeat(240));
    renameSync(state, long);
    symlinkSync(long, state);
    const { exit, out, err } = await repairAt(15, inventoryOf());
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(`${state} cannot be written`);
    expect(await stateOf(address)).toBe("assigned");
  });

  it("releases nothing where the format is none in which it could say so", async () => {
    const address = await assign("web-0");
    await repairAt(0, inventoryOf());
    const given = { stdin: inventoryOf(), nowMs: at(15) };
    for (const format of ["jsn", "custom-columns=A"]) {
      const ended = await platWith(
        given,
        ...["collect", ...whole(15), "--state", state, "-o", format],
      );
      expect(ended).toMatchObject({ exit: 2, out: "" });
    }
    expect(await stateOf(address)).toBe("assigned");
  });

  it("says what it has released where it fails after that, and the next scheduled run goes on", async () => {
    await assignMany();
    const all = ["--brake-percent", "100"];
    await repairAt(0, inventoryOf(), ...all);
    const send = globalThis.fetch;
    let releases = 0;
    vi.stubGlobal("fetch", async (input: Request, init?: RequestInit) => {
      const { url } = new Request(input, init);
      if (!url.endsWith("/release") || ++releases === 1) return send(input, init);
      return Response.json({ code: "forbidden", detail: "Not any more." }, { status: 403 });
    });
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const failed = await repairAt(15, inventoryOf(), ...all);
    vi.unstubAllGlobals();
    expect(releases).toBe(2);
    expect(failed.exit).toBe(1);
    expect(failed.summary.released).toBeGreaterThan(0);
    const next = await repairAt(16, inventoryOf(), ...all);
    expect(next).toMatchObject({ exit: 0, summary: { newCandidates: 0 } });
    expect(failed.summary.released + next.summary.released).toBe(300);
  });

  it.each<[string, string, readonly string[]]>([
    ["--inventory FILE is required", "", ["--state", "s"]],
    ["Required option '--state <file>'", "", ["--inventory", "-"]],
  ])("rejects a line that cannot be right: %s", async (message, stdin, args) => {
    const { exit, err } = await platWith({ stdin, nowMs: at(0) }, "collect", ...args);
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });

  it("takes an empty state for none: whoever makes the file before the first scheduled run", async () => {
    await assign("web-0");
    await file(state.slice(state.lastIndexOf("/") + 1), "\n");
    const { exit, summary } = await repairAt(0, inventoryOf());
    expect({ exit, summary }).toMatchObject({ exit: 0, summary: { newCandidates: 1 } });
    expect(stored().candidates).toHaveLength(1);
  });

  it("shows a person its numbers as a table", async () => {
    await assign("web-0");
    const given = { stdin: inventoryOf(), nowMs: at(0) };
    const { out } = await platWith(given, "collect", ...whole(0), "--state", state);
    expect(out).toBe(
      [
        "ASSIGNED   JUDGED   CANDIDATES   NEW   CONFIRMED   RELEASED   SKIPPED   BRAKE",
        "1          1        1            1     0           0          0         false",
        "",
      ].join("\n"),
    );
  });

  it("runs as the CronJob of the documentation says it", async () => {
    const page = await readFile(new URL("../../../docs/plat.md", import.meta.url), "utf8");
    const [, manifest = ""] =
      /```yaml\n(apiVersion: batch\/v1\nkind: CronJob[^`]*)```/.exec(page) ?? [];
    const { containers } = parse(manifest).spec.jobTemplate.spec.template.spec;
    const line: string = containers[0].command[2].trim();
    const args = line
      .replace('"$(cat /inventory/taken-at)"', timeAt(0))
      .replace("/inventory/all.json", await file("all.json", inventoryOf()))
      .replace("/state/collect.json", state)
      .split(" ");
    expect(args.slice(0, 2)).toEqual(["plat", "collect"]);
    await assign("web-0");
    const { exit, out } = await platWith({ nowMs: at(0) }, ...args.slice(1));
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ candidates: 1, newCandidates: 1 });
  });
});
