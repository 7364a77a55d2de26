import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { terminal } from "./terminal.ts";

const { plat, platWith } = terminal();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe("plat", () => {
  it("says its version", async () => {
    expect(await plat("--version")).toEqual({ exit: 0, out: `${manifest.version}\n`, err: "" });
  });

  it("helps on stdout where it is asked to, with the options that every command takes", async () => {
    for (const args of [
      ["--help"],
      ["pool", "--help"],
      ["pool", "get", "--help"],
      ["help", "pool"],
    ]) {
      const { exit, out, err } = await plat(...args);
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
      expect(out).toMatch(/^Usage: plat /);
      expect(out).toContain("--endpoint <url>");
    }
  });

  it("says on stderr what is wrong with a line, and exits with 2", async () => {
    for (const [args, said] of [
      [[], "Usage: plat "],
      [["pol"], "Error: Unknown command 'pol'\n  (Did you mean pool?)\n  See `plat --help`.\n"],
      [
        ["pool", "get", "--wide"],
        "Error: Unknown option '--wide'\n  See `plat pool get --help`.\n",
      ],
      [["pool", "get", "a", "b"], "Error: Too many arguments for 'get'"],
      [["pool", "delete"], "Error: Missing required argument 'pool'"],
      [["pool", "get", ""], "Error: Argument 'pool' is empty.\n  See `plat pool get --help`.\n"],
      [["pool", "delete", "", "--yes", "--ignore-not-found"], "Error: Argument 'pool' is empty.\n"],
      [["config", "set", "", "--endpoint", "http://h"], "Error: Argument 'context' is empty.\n"],
      [["release", "--ip", "10.0.0.1,"], "argument '10.0.0.1,' is invalid. A part of it is empty."],
      [["pool", "get", "-o", "xml"], 'Error: -o is "xml"; it must be '],
      [["pool", "get", "--endpoint", "here"], 'Error: The endpoint is "here"; it must be a URL '],
    ] as const) {
      const { exit, out, err } = await plat(...args);
      expect({ args, exit, out }).toEqual({ args, exit: 2, out: "" });
      expect(err).toContain(said);
    }
  });

  it("takes the endpoint and the space from its options rather than from the environment", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    const env = { PLAT_ENDPOINT: "http://127.0.0.1:1" };
    expect((await platWith({ env }, "pool", "get")).exit).toBe(3);
    const elsewhere = await plat("pool", "get", "--space", "elsewhere", "-o", "json");
    expect(JSON.parse(elsewhere.out)).toEqual({ pools: [] });
    expect(elsewhere.exit).toBe(0);
    expect((await plat("--space", "elsewhere", "pool", "get", "web")).exit).toBe(1);
  });

  it("signs for the Region that its option or the environment says, and by itself for none", async () => {
    const signed: (string | null)[] = [];
    vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
      signed.push(new Request(input, init).headers.get("authorization"));
      return Response.json({ pools: [{ name: "web" }] });
    });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI");
    const env = { PLAT_ENDPOINT: "https://plat.example", PLAT_REGION: "eu-west-1" };
    await platWith({ env }, "pool", "get", "--region", "eu-central-1");
    await platWith({ env }, "pool", "get");
    await platWith({ env: { ...env, PLAT_REGION: "", AWS_REGION: "eu-west-3" } }, "pool", "get");
    expect(signed).toEqual([
      expect.stringContaining("/eu-central-1/execute-api/"),
      expect.stringContaining("/eu-west-1/execute-api/"),
      null,
    ]);
  });

  it("takes an empty variable of the environment for none", async () => {
    const inDefault = await plat("--space", "default", "pool", "get", "-o", "json");
    const env = { PLAT_SPACE: "" };
    expect(await platWith({ env }, "pool", "get", "-o", "json")).toEqual(inDefault);
    vi.stubGlobal("fetch", async (url: string) => Response.json({ pools: [{ name: url }] }));
    const { exit, out } = await platWith({ env: { PLAT_ENDPOINT: "" } }, "pool", "get");
    expect(exit).toBe(0);
    expect(out).toContain("http://127.0.0.1:8787/v1/spaces/");
  });
});

describe("an endpoint that is not Plat", () => {
  let body: string;
  const server = createServer((_, response) => response.end(body));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => server.close());
  const at = (...args: readonly string[]) => {
    const env = { PLAT_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    return { run: (more = {}) => platWith({ env: { ...env, ...more } }, ...args) };
  };

  it.each([
    "show",
    "check",
    "pool get",
    "pool delete web",
    "affinity get",
    "reservation delete gateways",
    "assign --host n1 --ipv4 1",
    "release --ip 10.0.0.1",
    "split 2 web",
  ])("ends `%s` with 3 and a sentence where it answers {}", async (line) => {
    body = "{}";
    const { exit, out, err } = await at(...line.split(" ")).run();
    expect({ exit, out }).toEqual({ exit: 3, out: "" });
    expect(err).toMatch(/^Error: http:\S+ answers 200, but not as Plat does: \{\}\n/);
  });

  it("is one line where its answer is odd, and the trace only where PLAT_DEBUG is set", async () => {
    body = '{"hello":"world"}';
    const { run } = at("pool", "get");
    const { exit, out, err } = await run();
    expect({ exit, out }).toEqual({ exit: 3, out: "" });
    expect(err).toMatch(/^Error: Unexpected [^\n]+\n[^\n]+PLAT_DEBUG=1[^\n]+\n$/);
    expect((await run({ PLAT_DEBUG: "1" })).err).toMatch(/^Error: Unexpected .+\n.*Error.*\n +at /);
  });
});

describe("colors", () => {
  const BOLD = "\u001b[1m";
  const RED = "\u001b[31m";
  const colors = { terminal: { outHasColors: true, errHasColors: true } };

  it("mark headers, titles of the help and errors on a terminal", async () => {
    expect((await platWith(colors, "pool", "get")).out).toContain(`${BOLD}NAME`);
    expect((await platWith(colors, "--help")).out).toContain(`${BOLD}Usage:`);
    expect((await platWith(colors, "pool", "get", "nope")).err).toContain(`${RED}Error:`);
    expect((await platWith(colors, "pool", "drain")).err).toContain(`${RED}Error:`);
  });

  it("are nowhere else: not in a pipe, nor in what programs read", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    for (const line of ["pool get", "pool get nope", "pool drain", "--help", "pool --help"]) {
      const { out, err } = await plat(...line.split(" "));
      expect(out + err).not.toContain("\u001b");
    }
    for (const format of ["json", "yaml", "name", "jsonpath={.pools}"]) {
      const { out } = await platWith(colors, "pool", "get", "-o", format);
      expect(out).not.toContain("\u001b");
    }
  });
});
