import { beforeEach, describe, expect, it } from "vitest";
import { RELEASES_PER_REQUEST_MAX } from "../../../src/base/limits.ts";
import { ciliumNode } from "../../node-objects.ts";
import { spaceWithPool } from "../space.ts";
import { DRY_RUN, person, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call, space } = shell;
const pool = spaceWithPool(shell);

const assign = async (address: string, handle: string, host = "n1") => {
  const line = ["assign", "--host", host, "--address", address, "--handle", handle];
  const { exit, out } = await plat(...line, "-o", "json");
  expect(exit).toBe(0);
  return JSON.parse(out).addresses[0].generation as string;
};

const stateOf = async (address: string) => {
  const { body } = await call("GET", `/v1/addresses/${address}`);
  return { state: body.state, handle: body.handle };
};

describe("plat release --ip", () => {
  it("needs nothing else: it releases exactly what it saw there, and says whose it was", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    expect(await plat("release", "--ip", "10.0.0.1")).toEqual({
      exit: 0,
      out: "ADDRESS    STATUS     HANDLE   DETAIL\n10.0.0.1   released   web-0\n",
      err: "",
    });
    expect(await stateOf("10.0.0.1")).toEqual({ state: "cooling" });
  });

  it("takes nothing from whoever got the address between its look and its release, also where a bare release is allowed", async () => {
    await pool("main", { cidr: "10.0.0.0/24", cooldownSeconds: 0 });
    await call("PUT", "/v1/config", { allowBareRelease: true, cooldownSeconds: 0 });
    await assign("10.0.0.1", "web-0");
    const url = await wayTo(shell.server().url, async ({ route }) => {
      if (route !== "POST /v1/release") return undefined;
      await call("POST", "/v1/release", { handle: "web-0" });
      await assign("10.0.0.1", "web-1");
      return undefined;
    });
    const { exit, out, err } = await plat("release", "--ip", "10.0.0.1", "--endpoint", url);
    expect(exit).toBe(1);
    expect(out).toContain("10.0.0.1   conflict   web-0    The address was released before");
    expect(err).toMatch(
      /^Error: 10\.0\.0\.1 is not released\..*\n {2}code: generation_conflict\n/s,
    );
    expect(await stateOf("10.0.0.1")).toEqual({ state: "assigned", handle: "web-1" });
  });

  it("is done where nobody has the address, and says until when it cools", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    await plat("release", "--ip", "10.0.0.1");
    const { exit, out, err } = await plat("release", "--ip", "10.0.0.1", "--ip", "10.0.0.2");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(/^10\.0\.0\.1 {3}not_assigned {3}<none> {3}It cools until 20\S+Z\.$/m);
    expect(out).toMatch(/^10\.0\.0\.2 {3}not_assigned {3}<none>$/m);
  });

  it("says of an address that its host keeps that it is no assignment", async () => {
    await pool();
    const windows = ["--host-reserved-start", "3", "--host-reserved-end", "1"];
    await plat("affinity", "ensure", "--host", "w1", "--family", "4", "--pool", "main", ...windows);
    const { out: list } = await plat("block", "get", "-o", "custom-columns=CIDR:.cidr");
    const first = list.split("\n")[1]?.split("/")[0] ?? "";
    const { exit, out } = await plat("release", "--ip", first);
    expect(exit).toBe(0);
    expect(out).toContain("not_assigned   <none>   Its host keeps it for itself.");
  });

  it("releases nothing where one of the addresses is none, or lies in no pool", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    const none = await plat("release", "--ip", "10.0.0.1", "--ip", "10.0.0");
    expect(none).toMatchObject({ exit: 1, out: "" });
    expect(none.err).toMatch(/^Error: .*\n {2}code: invalid_request\n/s);
    const outside = await plat("release", "--ip", "10.0.0.1", "--ip", "10.9.0.1");
    expect(outside).toMatchObject({ exit: 1, out: "" });
    expect(outside.err).toMatch(/^Error: .*\n {2}code: not_found\n/s);
    expect(await stateOf("10.0.0.1")).toMatchObject({ state: "assigned" });
  });

  it("with --generation releases only that assignment, and is none the worse for being repeated", async () => {
    await pool("main", { cidr: "10.0.0.0/24", cooldownSeconds: 0 });
    const generation = await assign("10.0.0.1", "web-0");
    const line = ["release", "--ip", "10.0.0.1", "--generation", generation];
    expect((await plat(...line)).out).toContain("released");
    expect(await plat(...line)).toMatchObject({
      exit: 0,
      out: expect.stringContaining("not_assigned"),
    });
    await assign("10.0.0.1", "web-1");
    expect(await plat(...line)).toMatchObject({ exit: 1 });
    expect(await stateOf("10.0.0.1")).toEqual({ state: "assigned", handle: "web-1" });
  });

  it("tells what was released by the time that nobody answered any more", async () => {
    const ips = Array.from({ length: 300 }, (_, i) => `10.0.${i >> 8}.${i & 0xff}`);
    // The server itself may leave some of so many to the next request, if it has no time for them.
    const results = ips
      .slice(0, RELEASES_PER_REQUEST_MAX)
      .map((address) => ({ address, status: "released", handle: "web-0" }));
    const url = await wayTo(shell.server().url, async ({ before }) =>
      before > 0 ? "lost" : { requestId: "r", results, complete: true },
    );
    const line = ["release", "--ip", ips.join(","), "--handle", "web-0", "--endpoint", url];
    const { exit, out, err } = await plat(...line, "-o", "json");
    expect(exit).toBe(3);
    expect(JSON.parse(out).results).toEqual(results);
    expect(err).toContain("does not answer");
  });
});

describe("plat release of what nodes and handles have by routes of their own", () => {
  const prefixes = () => pool("v4", { cidr: "10.64.0.0/22", blockSize: 24, assign: "prefixes" });
  /** Gives a host an address of a CiliumNode, and returns it. */
  const withCilium = async (host: string) => {
    const stdin = JSON.stringify(ciliumNode(host));
    const line = ["node", "cilium", "apply", "-f", "-", "--mode", "crd"];
    const { out } = await platWith({ stdin }, ...line);
    const [address = ""] = Object.keys(JSON.parse(out).spec.ipam.pool);
    return address;
  };

  it("by address names the command that releases it, sends nothing, and releases the others", async () => {
    await pool();
    await prefixes();
    await plat("node", "cidr", "ensure", "n1", "--uid", "8f3e", "--cidr", "10.64.1.0/24");
    await plat("prefix", "assign", "cluster-7", "--cidr", "10.64.2.0/24");
    const ofCilium = await withCilium("n2");
    await assign("10.0.0.1", "web-0", "n3");
    const commands = {
      "10.64.1.7": "plat node cidr release n1 --uid 8f3e --cidr 10.64.1.0/24",
      "10.64.2.7": "plat prefix release cluster-7 --cidr 10.64.2.0/24",
      [ofCilium]: "plat node cilium release n2 --uid a",
    };
    const ips = Object.keys(commands);
    for (const more of [["--dry-run"], []]) {
      const line = ["release", "--ip", [...ips, "10.0.0.1"].join(","), "-o", "json", ...more];
      const { exit, out } = await plat(...line);
      expect(exit).toBe(1);
      const results: { address: string; status: string; detail?: string }[] =
        JSON.parse(out).results;
      for (const [ip, command] of Object.entries(commands))
        expect(results.find(({ address }) => address === ip)).toMatchObject({
          status: "conflict",
          code: "invalid_request",
          detail: expect.stringContaining(`\`${command} --space ${space()}\` releases`),
        });
      expect(results.find(({ address }) => address === "10.0.0.1")?.status).toBe(
        more.length > 0 ? "would_release" : "released",
      );
    }
    for (const ip of ips) expect(await stateOf(ip)).toMatchObject({ state: "assigned" });
  });

  it("by host leaves it, and so does a dry run", async () => {
    await pool();
    await prefixes();
    await plat("node", "cidr", "ensure", "n1", "--uid", "8f3e", "--cidr", "10.64.1.0/24");
    const ofCilium = await withCilium("n1");
    await assign("10.0.0.200", "web-0");
    const addresses = async (...more: readonly string[]) => {
      const { out } = await plat("release", "--host", "n1", "-o", "json", ...more);
      return JSON.parse(out).results.map(({ address }: { address: string }) => address);
    };
    const shown = await addresses("--dry-run");
    expect(shown).toEqual(["10.0.0.200"]);
    const { out } = await plat("node", "delete", "n1", "--release", "--dry-run");
    expect(out).toContain("1 address and ");
    expect(await addresses()).toEqual(shown);
    for (const ip of ["10.64.1.7", ofCilium])
      expect(await stateOf(ip)).toMatchObject({ state: "assigned" });
  });
});

describe("plat release --handle", () => {
  it("releases all that the handle has", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    await assign("10.0.0.18", "web-0");
    const { exit, out } = await plat("release", "--handle", "web-0", "-o", "json");
    expect(exit).toBe(0);
    expect(
      JSON.parse(out)
        .results.map(({ address }: { address: string }) => address)
        .sort(),
    ).toEqual(["10.0.0.1", "10.0.0.18"]);
  });

  it("of a handle that has no addresses is done with a note, also in a dry run", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--ipv4", "1", "--handle", "web-0");
    expect((await plat("release", "--handle", "web-0")).exit).toBe(0);
    for (const handle of ["web-0", "never"])
      for (const more of [[], ["--dry-run"]]) {
        const line = ["release", "--handle", handle, "-o", "json", ...more];
        const { exit, out, err } = await plat(...line);
        expect({ exit, out: JSON.parse(out) }).toMatchObject({ exit: 0, out: { results: [] } });
        expect(err).toContain(`Note: handle "${handle}" has no addresses in space "${space()}".\n`);
      }
  });
});

describe("plat release --handle of an older name that no path can contain", () => {
  const handle = "a?b";
  /** Makes a connection on which the handle has two addresses, and one that it reported. */
  const way = () =>
    wayTo(shell.server().url, async ({ route, query }) => {
      if (route === "POST /v1/release") return { handle, released: [], complete: true };
      if (route !== "GET /v1/addresses" || query.get("handle") !== handle) return "cut";
      const states = { "10.0.0.1": "assigned", "10.0.0.2": "kept", "10.0.0.3": "quarantined" };
      const addresses = Object.entries(states).map(([address, state]) => ({ address, state }));
      return { requestId: "r", addresses };
    });

  it("has a dry run and a question, which find its addresses by a search", async () => {
    const line = ["release", "--handle", handle, "--endpoint", await way()];
    const { exit, out } = await plat(...line, "--dry-run", "-o", "json");
    expect(exit).toBe(0);
    const results: { address: string }[] = JSON.parse(out).results;
    expect(results.map(({ address }) => address)).toEqual(["10.0.0.1", "10.0.0.2"]);
    const { questions, ask } = person(false);
    expect((await platWith({ ask }, ...line)).exit).toBe(1);
    expect(questions).toEqual(["Release 2 addresses of handle a?b?"]);
  });

  it("is one that a search takes", async () => {
    await pool();
    const { status, body } = await call("GET", "/v1/addresses?handle=a%3Fb");
    expect({ status, addresses: body.addresses }).toEqual({ status: 200, addresses: [] });
  });
});

describe("plat release --host", () => {
  it("releases all that the host has, also what it has borrowed, and nothing of others", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    await assign("10.0.0.2", "guest", "n2");
    await assign("10.0.0.17", "other", "n2");
    await assign("10.0.0.18", "web-1");
    const progress: string[] = [];
    const { exit, out } = await platWith({ progress }, "release", "--host", "n1", "-o", "json");
    expect(exit).toBe(0);
    const released = JSON.parse(out).results.map(({ address }: { address: string }) => address);
    expect(released).toEqual(["10.0.0.1", "10.0.0.18"]);
    expect(progress).toEqual(["addresses of n1", "2 addresses of n1 released"]);
    expect(await stateOf("10.0.0.2")).toEqual({ state: "assigned", handle: "guest" });
  });

  it("tells them in the order of addresses, and nothing of handles, which it does not know", async () => {
    await pool();
    for (const n of [2, 10, 1, 9, 3]) await assign(`10.0.0.${n}`, `web-${n}`);
    const { out } = await plat("release", "--host", "n1");
    expect(out).toBe(
      [
        "ADDRESS     STATUS     DETAIL",
        ...["10.0.0.1 ", "10.0.0.2 ", "10.0.0.3 ", "10.0.0.9 ", "10.0.0.10"].map(
          (address) => `${address}   released`,
        ),
        "",
      ].join("\n"),
    );
  });

  it("names the blocks that cannot be read, in which the host may have more, and exits with 1", async () => {
    const left = {
      released: [],
      progressed: false,
      complete: false,
      unreadable: [{ item: "block 10.0.0.0", reason: "" }],
    };
    const url = await wayTo(shell.server().url, async ({ before }) =>
      before === 0 ? { ...left, released: ["10.0.0.17"] } : left,
    );
    const { exit, out, err } = await plat("release", "--host", "n1", "--yes", "--endpoint", url);
    expect(exit).toBe(1);
    expect(out).toContain("10.0.0.17   released");
    expect(err).toMatch(
      /^Error: n1 keeps its addresses in block 10\.0\.0\.0, which cannot be read.*\n {2}code: unreadable\n/s,
    );
  });

  it("knows a virtual owner from the host of its name", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    const line = ["release", "--host", "n1", "--affinity-type", "virtual"];
    expect((await plat(...line, "-o", "json")).out).toBe('{\n  "results": []\n}\n');
    expect(await stateOf("10.0.0.1")).toMatchObject({ state: "assigned" });
  });

  it("shows of a virtual owner and of the host of its name, in a dry run and in the question, what each release frees", async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    const virtual = ["--affinity-type", "virtual"];
    await plat("assign", "--host", "n1", ...virtual, "--address", "10.0.0.33", "--handle", "lb");
    // Both have an address in a block of the other.
    await assign("10.0.0.34", "web-1");
    for (const [more, addresses] of [
      [[], ["10.0.0.1", "10.0.0.34"]],
      [virtual, ["10.0.0.33"]],
    ] as const) {
      const line = ["release", "--host", "n1", ...more];
      const shown = await plat(...line, "--dry-run", "-o", "name");
      expect(shown.out).toBe(addresses.map((address) => `${address}\n`).join(""));
      const { questions, ask } = person(true);
      const released = await platWith({ ask }, ...line, "-o", "name");
      expect(released.out).toBe(shown.out);
      expect(questions).toEqual([`Release ${counted(addresses.length)} of host n1?`]);
    }
  });
});

const counted = (n: number) => (n === 1 ? "1 address" : `${n} addresses`);

describe("a release that says too little, or too much", () => {
  it.each([
    [["release"], "plat release needs --ip, --handle, --host, --workload or --from-report."],
    [["release", "--handle", "h", "--namespace", "shop"], "--namespace needs --workload."],
    [
      ["release", "--generation", "g"],
      "--generation names one assignment, so it needs exactly one --ip.",
    ],
    [
      ["release", "--ip", "10.0.0.1", "--ip", "10.0.0.2", "--generation", "g"],
      "--generation names one assignment, so it needs exactly one --ip.",
    ],
    [["release", "--handle", "h", "--affinity-type", "host"], "--affinity-type needs --host."],
    [["release", "--ip", "10.0.0.1", "--host", "n1"], "cannot be used with option"],
    [["release", "--handle", "h", "--host", "n1"], "cannot be used with option"],
  ])("%j is a slip of the line", async (line, problem) => {
    const { exit, out, err } = await plat(...line);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(problem);
  });
});

describe("plat release asks", () => {
  const questions: string[] = [];
  const asked = (answer: boolean, ...args: readonly string[]) => {
    questions.length = 0;
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    return platWith({ ask }, "release", ...args);
  };
  beforeEach(async () => {
    await pool();
    for (const n of [1, 2]) await assign(`10.0.0.${n}`, "pair");
    await assign("10.0.0.3", "single");
  });

  it("before a host loses its addresses, and says how many", async () => {
    expect((await asked(false, "--host", "n1")).exit).toBe(1);
    expect(questions).toEqual(["Release 3 addresses of host n1?"]);
    expect(await stateOf("10.0.0.1")).toMatchObject({ state: "assigned" });
    expect((await asked(true, "--host", "n1")).exit).toBe(0);
    expect(await stateOf("10.0.0.1")).not.toMatchObject({ state: "assigned" });
  });

  it("before several addresses of a handle are released, not before one", async () => {
    expect((await asked(false, "--handle", "pair")).exit).toBe(1);
    expect(questions).toEqual(["Release 2 addresses of handle pair?"]);
    expect((await asked(false, "--handle", "single")).exit).toBe(0);
    expect(questions).toEqual([]);
  });

  it("nobody about addresses that are named, nor in a script about a handle", async () => {
    expect((await asked(false, "--ip", "10.0.0.1,10.0.0.2")).exit).toBe(0);
    expect(questions).toEqual([]);
    const script = { ask: "no terminal" } as const;
    expect((await platWith(script, "release", "--handle", "single")).exit).toBe(0);
    const { exit, err } = await platWith(script, "release", "--host", "n1");
    expect(exit).toBe(2);
    expect(err).toContain("Repeat it with --yes");
  });
});

describe("plat release --dry-run", () => {
  beforeEach(async () => {
    await pool();
    await assign("10.0.0.1", "web-0");
    await assign("10.0.0.2", "guest", "n2");
  });

  it.each([
    ["--handle", "web-0"],
    ["--host", "n1"],
    ["--ip", "10.0.0.1"],
    ["--ip", "10.0.0.1", "--handle", "web-0"],
  ])("shows what %s %s would release, and releases nothing", async (...named) => {
    const script = { ask: "no terminal" } as const;
    expect(await platWith(script, "release", ...named, "--dry-run")).toEqual({
      exit: 0,
      out: "ADDRESS    STATUS          HANDLE   DETAIL\n10.0.0.1   would_release   web-0\n",
      err: DRY_RUN,
    });
    expect(await stateOf("10.0.0.1")).toMatchObject({ state: "assigned" });
  });

  it("ends as the release would where another has the address", async () => {
    const { exit, out } = await plat(
      ...["release", "--ip", "10.0.0.2,10.0.0.3", "--handle", "web-0", "--dry-run"],
    );
    expect(exit).toBe(1);
    expect(out).toMatch(/10\.0\.0\.2 +conflict +guest/);
    expect(out).toMatch(/10\.0\.0\.3 +not_assigned/);
  });
});
