import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVENTS_PER_REQUEST_MAX } from "../../../src/base/limits.ts";
import { nodeEvent, ready } from "../../node-objects.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, space } = shell;
const pool = spaceWithPool(shell);
const prefixes = () => pool("v4", { cidr: "10.64.0.0/24", blockSize: 24, assign: "prefixes" });

/** Writes a file, and returns its path. */
function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "events-")), "events");
  writeFileSync(file, text);
  return file;
}

describe("plat event send", () => {
  it("sends the events of a file, and prints the result of each", async () => {
    await prefixes();
    const events = [nodeEvent("ADDED", "n1"), { type: "BOOKMARK", object: { kind: "Node" } }];
    const { exit, out } = await plat("event", "send", fileWith(JSON.stringify({ events })));
    expect(exit).toBe(0);
    expect(out).toBe(
      "KIND   NAME   STATUS    CODE     CIDR\nNode   n1     applied   <none>   10.64.0.0/24\nNode          ignored   <none>   <none>\n",
    );
  });

  it("takes one event a line", async () => {
    await prefixes();
    const lines = ["n1", "n2"].map((name) => JSON.stringify(nodeEvent("ADDED", name)));
    const { exit, out } = await plat("event", "send", fileWith(lines.join("\n")), "-o", "json");
    expect(exit).toBe(0);
    const results: { status: string; code?: string }[] = JSON.parse(out).results;
    expect(results.map(({ status }) => status)).toEqual(["applied", "applied"]);
    // The events of two nodes are applied side by side, and either gets the one prefix.
    expect(results.flatMap(({ code }) => code ?? [])).toEqual(["pool_exhausted"]);
  });

  it("fails if an event is rejected, and says why", async () => {
    await prefixes();
    const { exit, err } = await plat("event", "send", fileWith('[7, {"type": "ADDED"}]'));
    expect(exit).toBe(1);
    expect(err).toContain("2 events not applied; the first is event 0: body must be an object");
  });

  it("sends each line of stdin before it reads the next one, and prints a line for its result", async () => {
    await prefixes();
    const seen: string[] = [];
    async function* lines() {
      for (const name of ["n1", "n2"]) {
        yield Buffer.from(`${JSON.stringify(nodeEvent("ADDED", name))}\n`);
        const { body } = await shell.call("GET", "/v1/nodes");
        seen.push(body.nodes.map((node: { name: string }) => node.name).join());
      }
      yield Buffer.from('7\n{"type": "BOOK');
      yield Buffer.from('MARK", "object": {"kind": "Node"}}');
    }
    const { exit, out, err } = await shell.platWith(
      { stdin: lines() },
      ...["event", "send", "-", "-o", "json"],
    );
    expect(seen).toEqual(["n1", "n1,n2"]);
    const results = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results).toMatchObject([
      { index: 0, name: "n1", status: "applied" },
      { index: 1, name: "n2", status: "applied" },
      { index: 2, status: "rejected" },
      { index: 3, status: "ignored" },
    ]);
    expect(exit).toBe(1);
    expect(err).toContain("1 event not applied; the first is event 2: body must be an object");
  });

  it("names the line of a file and of a stream that is no JSON, and counts empty lines", async () => {
    const text = `\n${JSON.stringify({ events: [] })}\n\nnope\n`;
    const told = { exit: 2, err: "Error: Line 4 is not a JSON value.\n" };
    expect(await plat("event", "send", fileWith(text))).toMatchObject(told);
    expect(await shell.platWith({ stdin: text }, "event", "send", "-")).toMatchObject(told);
  });

  it("prints the header of a stream once", async () => {
    await prefixes();
    async function* lines() {
      for (const name of ["n1", "n2"])
        yield Buffer.from(`${JSON.stringify(nodeEvent("ADDED", name))}\n`);
    }
    const { out } = await shell.platWith({ stdin: lines() }, "event", "send", "-");
    expect(out).toMatch(/^KIND .*\nNode .* n1 .*\nNode .* n2 .*\n$/);
  });

  it.each([
    ["is no JSON", Buffer.from("{\n"), "Line 2 is not a JSON value."],
    ["has a field twice", Buffer.from('{"a":1,"a":2}\n'), "Line 2: the field a is there more"],
    ["is not UTF-8", Buffer.from([0xff, 0x0a]), "stdin, line 2, is not UTF-8"],
  ])(
    "ends a stream with a line that %s, sends what is before it, and says how many events have a result",
    async (_, bad, why) => {
      await prefixes();
      const line = Buffer.from(`${JSON.stringify(nodeEvent("ADDED", "n1"))}\n`);
      const stdin = Buffer.concat([line, bad, line]);
      const { exit, out, err } = await shell.platWith(
        { stdin },
        "event",
        "send",
        "-",
        "-o",
        "json",
      );
      expect(exit).toBe(2);
      expect(JSON.parse(out)).toMatchObject({ index: 0, name: "n1", status: "applied" });
      expect(err).toContain(why);
      expect(err).toContain("\n  1 event has a result; send the others again.\n");
    },
  );

  it("exits with 1 where a line that is no JSON follows a rejected event, and tells both", async () => {
    await prefixes();
    const { exit, err } = await shell.platWith({ stdin: "7\n{\n" }, "event", "send", "-");
    expect(exit).toBe(1);
    expect(err).toMatch(
      /^Error: Line 2 is not a JSON value\.\n {2}1 event has a result; .*\n {2}1 event not applied; the first is event 0: /,
    );
  });

  it("says how many events of a stream have a result if the server is gone", async () => {
    await prefixes();
    const line = `${JSON.stringify(nodeEvent("ADDED", "n1"))}\n`;
    const env = { PLAT_ENDPOINT: "http://127.0.0.1:1" };
    const gone = await shell.platWith({ stdin: line, env }, "event", "send", "-");
    expect(gone.exit).toBe(3);
    expect(gone.err).toContain("0 events have a result; send the others again.");
  });

  it("prints the results of a file before a request fails, and says how many there are", async () => {
    await prefixes();
    const events = Array.from({ length: EVENTS_PER_REQUEST_MAX + 1 }, (_, i) =>
      nodeEvent("ADDED", `n${i}`),
    );
    let requests = 0;
    const url = await wayTo(shell.server().url, async () => (requests++ === 0 ? undefined : "cut"));
    const file = fileWith(JSON.stringify(events));
    const { exit, out, err } = await plat("event", "send", file, "--endpoint", url);
    expect(exit).toBe(3);
    expect(out.trimEnd().split("\n")).toHaveLength(1 + EVENTS_PER_REQUEST_MAX);
    expect(err).toContain("256 events have a result; send the others again.");
  });

  it.each(["", "[]", "{"])("rejects a file without an event: %j", async (text) => {
    await prefixes();
    expect((await plat("event", "send", fileWith(text))).exit).toBe(2);
  });
});

it("plat zone get notes that no cluster has reported a node", async () => {
  await prefixes();
  const { exit, err } = await plat("zone", "get");
  expect({ exit, err }).toEqual({ exit: 0, err: `Note: no zones found in space "${space()}".\n` });
});

it("plat zone get shows the nodes of each zone", async () => {
  await prefixes();
  const labels = { "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "a" };
  const events = [
    nodeEvent("ADDED", "n1", { labels }),
    nodeEvent("ADDED", "n2", { labels, conditions: [ready("False")] }),
  ];
  await plat("event", "send", fileWith(JSON.stringify(events)));
  const { exit, out } = await plat("zone", "get");
  expect(exit).toBe(0);
  expect(out).toBe(
    "ZONE   NODES   READY   NOT READY   STATE    EVICTIONS/S\neu/a   2       1       1           Normal   0.1\n",
  );
});
