import { afterEach, describe, expect, it, vi } from "vitest";
import { minutes } from "../minutes.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call, server } = shell;
const { workAMinuteLater } = minutes(shell);

const create = (...more: readonly string[]) =>
  plat("pool", "create", "web", "--cidr", "10.0.0.0/22", ...more);
const split = (...args: readonly string[]) =>
  platWith({ sleep: workAMinuteLater }, "split", ...args);
const assign = () => call("POST", "/v1/assign", { host: "n1", ipv4: 3, handle: "pod" });
const pools = async () => JSON.parse((await plat("pool", "get", "-o", "json")).out).pools;

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("plat split", () => {
  it("replaces an empty pool by equal parts, named as calicoctl names them, all else as it was", async () => {
    await create("--block-size", "28", "--node-selector", "has(gpu)", "--cooldown-seconds", "90");
    const [before] = await pools();
    expect(await split("4", "web")).toEqual({
      exit: 0,
      out: [0, 1, 2, 3].map((i) => `ippool/split-web-${i} created\n`).join(""),
      err: "",
    });
    expect(await pools()).toEqual(
      [0, 1, 2, 3].map((i) => ({ ...before, name: `split-web-${i}`, cidr: `10.0.${i}.0/24` })),
    );
  });

  it("frees the blocks of a pool whose addresses were released before", async () => {
    await create();
    await assign();
    await call("POST", "/v1/release", { handle: "pod" });
    expect((await split("2", "web")).exit).toBe(0);
    expect((await assign()).status).toBe(200);
  });

  it("prints the parts as one document, and their names", async () => {
    await create();
    const { out } = await split("2", "web", "-o", "json");
    expect(JSON.parse(out).pools).toMatchObject([{ name: "split-web-0" }, { name: "split-web-1" }]);
    const names = await split("2", "split-web-0", "-o", "name");
    expect(names.out).toBe("split-split-web-0-0\nsplit-split-web-0-1\n");
  });

  it("splits ranges of IPv6", async () => {
    await plat("pool", "create", "web", "--cidr", "fd00::/63");
    await split("2", "web");
    expect((await pools()).map(({ cidr }: { cidr: string }) => cidr)).toEqual([
      "fd00::/64",
      "fd00:0:0:1::/64",
    ]);
  });

  it("leaves the parts of a pool of a subnet in its network", async () => {
    await create("--kind", "subnet", "--gateway", "10.0.0.1");
    expect((await split("2", "web")).exit).toBe(0);
    expect(await pools()).toMatchObject([
      { cidr: "10.0.0.0/23", prefixLength: 22, gateway: "10.0.0.1" },
      { cidr: "10.0.2.0/23", prefixLength: 22, gateway: "10.0.0.1" },
    ]);
  });

  it("rejects a pool with addresses, also a disabled one, and changes nothing", async () => {
    await create();
    await assign();
    const { out: text } = await plat("pool", "get", "web", "-o", "yaml");
    for (const disabled of ["false", "true"]) {
      const stdin = text.replace("disabled: false", `disabled: ${disabled}`);
      await platWith({ stdin }, "pool", "apply", "-f", "-");
      const before = await pools();
      const { exit, out, err } = await split("2", "web");
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).toMatch(
        /^Error: 3 addresses of pool web are assigned, and only an empty pool.*\n {2}code: pool_in_use\n/s,
      );
      expect(err).toContain("plat pool drain web --wait");
      expect(await pools()).toEqual(before);
    }
  });

  it("tells one address as one", async () => {
    await create();
    await call("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "pod" });
    const { err } = await split("2", "web");
    expect(err).toContain("Error: 1 address of pool web is assigned, and only an empty pool");
  });

  it("rejects a pool with ranges, and changes nothing", async () => {
    await create("--ranges", "10.0.0.10-10.0.0.200");
    const before = await pools();
    const { exit, err } = await split("2", "web");
    expect(exit).toBe(2);
    expect(err).toContain("The pool web has ranges");
    expect(await pools()).toEqual(before);
  });

  describe("rejects parts that the API would not take, also in a dry run, and deletes nothing:", () => {
    const rejects = async (name: string, exit: number, told: string) => {
      const before = await pools();
      for (const more of [[], ["--dry-run"]]) {
        const ended = await split("2", name, ...more);
        expect({ exit: ended.exit, out: ended.out }).toEqual({ exit, out: "" });
        expect(ended.err).toContain(told);
      }
      expect(await pools()).toEqual(before);
    };

    it("those of a pool that is a prefix of another pool", async () => {
      await create("--assign", "prefixes", "--block-size", "24");
      await plat("prefix", "assign", "red", "--cidr", "10.0.1.0/24");
      await plat("pool", "create", "red", "--cidr", "10.0.1.0/24", "--parent", "web");
      await rejects("red", 2, "Error: The pool red is a prefix of pool web");
    });

    it("those with names that are too long", async () => {
      const name = "w".repeat(250);
      await plat("pool", "create", name, "--cidr", "10.0.0.0/22");
      await rejects(name, 1, "at most 253 characters");
    });

    it("those of prefixes in which reservations touch every prefix", async () => {
      await create("--assign", "prefixes", "--block-size", "24");
      const cidrs = "10.0.2.0,10.0.3.7";
      await plat("reservation", "create", "routers", "--cidr", cidrs);
      await rejects("web", 1, "has no prefix of /24 that is free of reserved addresses");
    });
  });

  it("keeps the parts of a drained pool disabled, unless it is told to enable them", async () => {
    await create();
    await platWith({ sleep: workAMinuteLater }, "pool", "drain", "web", "--wait");
    await split("2", "web");
    expect(await pools()).toMatchObject([{ disabled: true }, { disabled: true }]);
    const deeper = await split("2", "split-web-0", "--enable");
    expect(deeper.exit).toBe(0);
    expect(await pools()).toMatchObject([
      { name: "split-split-web-0-0", disabled: false },
      { name: "split-split-web-0-1", disabled: false },
      { name: "split-web-1", disabled: true },
    ]);
  });

  it("goes on where it was cut off while the pool was being deleted", async () => {
    await create();
    await plat("pool", "delete", "web");
    expect((await split("2", "web")).exit).toBe(0);
    expect(await pools()).toHaveLength(2);
  });

  it("with --dry-run shows the parts as pool apply takes them", async () => {
    await create();
    const shown = await plat("split", "2", "web", "--dry-run");
    expect(shown.out).toBe(
      "NAME          CIDR          BLOCKSIZE   DISABLED\nsplit-web-0   10.0.0.0/23   26          false\nsplit-web-1   10.0.2.0/23   26          false\n",
    );
    const { out: stdin } = await plat("split", "2", "web", "--dry-run", "-o", "yaml");
    await platWith({ sleep: workAMinuteLater }, "pool", "delete", "web", "--wait");
    expect((await platWith({ stdin }, "pool", "apply", "-f", "-")).out).toBe(
      "ippool/split-web-0 created\nippool/split-web-1 created\n",
    );
  });

  it("hands the parts over when it ends before the pool is gone, and they can be created after that", async () => {
    await create();
    const { exit, out, err } = await split("2", "web", "--timeout", "30s");
    expect({ exit, out }).toEqual({ exit: 5, out: "" });
    expect(err).toContain("While pool web exists, the same command continues.");
    await workAMinuteLater();
    await workAMinuteLater();
    const [, manifest = ""] = err.split("`plat pool apply -f -`:\n");
    const stdin = manifest.replaceAll(/^ {2}/gm, "");
    expect((await platWith({ stdin }, "pool", "apply", "-f", "-")).out).toBe(
      "ippool/split-web-0 created\nippool/split-web-1 created\n",
    );
  });

  it.each([
    ["gets no answer", 3, "lost"],
    ["is interrupted by Ctrl-C", 130, undefined],
  ] as const)("hands the parts over when the deletion %s", async (_, code, fate) => {
    await create();
    let press: (() => void) | undefined;
    const url = await wayTo(server().url, async ({ route }) => {
      if (route !== "DELETE /v1/pools/web") return undefined;
      if (fate === undefined) press?.();
      return fate;
    });
    const interrupt = (act: (() => void) | undefined) => {
      press = act;
    };
    const { exit, out, err } = await platWith(
      { interrupt, sleep: workAMinuteLater },
      ...["split", "2", "web", "--endpoint", url],
    );
    expect({ exit, out }).toEqual({ exit: code, out: "" });
    expect(err).toContain("While pool web exists, the same command continues.");
    expect(err).toMatch(/`plat pool apply -f -`:\n {2}pools:\n {4}- name: split-web-0\n/);
  });

  it("hands nothing over when the deletion is rejected", async () => {
    await create();
    const url = await wayTo(server().url, async ({ route }) =>
      route === "DELETE /v1/pools/web"
        ? { status: 412, code: "precondition_failed", detail: "It changed.", requestId: "r" }
        : undefined,
    );
    const { exit, err } = await plat("split", "2", "web", "--endpoint", url);
    expect(exit).toBe(1);
    expect(err).not.toContain("plat pool apply -f -");
  });

  it("hands the parts over where they cannot be created when the pool is gone", async () => {
    await create();
    const sleep = async () => {
      await workAMinuteLater();
      // Another caller takes the range as soon as it is free.
      await plat("pool", "create", "theirs", "--cidr", "10.0.2.0/24");
    };
    const { exit, out, err } = await platWith({ sleep }, "split", "2", "web");
    expect({ exit, out }).toEqual({ exit: 1, out: "ippool/split-web-0 created\n" });
    expect(err).toMatch(/^Error: .* overlaps pool theirs.*\n {2}code: pool_overlap\n/s);
    expect(err).toMatch(/`plat pool apply -f -`:\n {2}pools:\n {4}- name: split-web-1\n/);
  });

  it("hands over the parts that are missing, and prints the others, when Ctrl-C ends it between two", async () => {
    await create();
    let press: (() => void) | undefined;
    const url = await wayTo(server().url, async ({ route }) => {
      if (route === "PUT /v1/pools/split-web-1") press?.();
      return undefined;
    });
    const { exit, out, err } = await platWith(
      {
        interrupt: (act) => {
          press = act;
        },
        sleep: workAMinuteLater,
      },
      ...["split", "4", "web", "--endpoint", url, "-o", "name"],
    );
    expect({ exit, out }).toEqual({ exit: 130, out: "split-web-0\nsplit-web-1\n" });
    expect(err).toMatch(/`plat pool apply -f -`:\n {2}pools:\n {4}- name: split-web-2\n/);
  });

  it("rejects more parts than a space may have pools, before it sends anything", async () => {
    // Numbers of parts from just above the maximum to more than an array can have.
    for (const number of ["2048", "4294967296", "17179869184", "562949953421312"]) {
      const env = { PLAT_ENDPOINT: "http://127.0.0.1:1" };
      const { exit, err } = await platWith({ env }, "split", number, "web");
      expect({ number, exit }).toEqual({ number, exit: 2 });
      expect(err).toContain("at most 2000, the maximum number of pools in a space");
    }
  });

  it("rejects where the space would have more pools with the parts, while the pool still stands", async () => {
    await plat("pool", "create", "web", "--cidr", "fd00::/64");
    const { fetch } = globalThis;
    const others = Array.from({ length: 977 }, (_, i) => ({ name: `other-${i}` }));
    // Creating this many pools takes long, so only the list contains them.
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) =>
      url.includes("/pools?")
        ? Response.json({ pools: [{ name: "web" }, ...others] })
        : fetch(url, init),
    );
    expect(await split("1024", "web")).toEqual({
      exit: 2,
      out: "",
      err: "Error: The space has 978 pools; with 1024 parts in place of one it would have 2001, and the maximum is 2000.\n",
    });
    expect((await plat("pool", "get", "web")).exit).toBe(0);
  });

  it("rejects what is no power of two, smaller parts than blocks, and names that are taken", async () => {
    await create();
    for (const number of ["0", "1", "3", "-2", "x"]) {
      const { exit, err } = await split(number, "web");
      expect(exit).toBe(2);
      expect(err).toMatch(/must be a (power of two|whole number)|unknown option/);
    }
    expect(await split("32", "web")).toEqual({
      exit: 2,
      out: "",
      err: "Error: The pool web is 10.0.0.0/22 in /26 blocks; it has at most 16 parts.\n",
    });
    await plat("pool", "create", "split-web-1", "--cidr", "10.9.0.0/24");
    expect(await split("2", "web")).toMatchObject({
      exit: 2,
      err: "Error: ippool/split-web-1 exists already.\n",
    });
    expect((await split("2", "nope")).exit).toBe(1);
  });
});
