import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { BUILD } from "../../../src/base/build.ts";
import { terminal } from "../terminal.ts";

const { platWith, server, space } = terminal();

let config = "";
beforeEach(() => {
  config = join(mkdtempSync(join(tmpdir(), "plat-config-")), "below", "config.yaml");
});

/** Runs a command with the contexts of the test, and nothing else in its environment. */
const plat = (line: string, env = {}) =>
  platWith(
    { env: { PLAT_ENDPOINT: "", PLAT_SPACE: "", PLAT_CONFIG: config, ...env } },
    ...line.split(" "),
  );

describe("a context", () => {
  it("names the endpoint and the space of commands, and the first one is current", async () => {
    const set = `config set lab --endpoint ${server().url} --space ${space()}`;
    expect(await plat(set)).toEqual({ exit: 0, out: 'context "lab" set\n', err: "" });
    await plat("config set other --endpoint http://127.0.0.1:1");
    expect((await plat("pool create web --cidr 10.0.0.0/24")).exit).toBe(0);
    expect((await plat("pool get -o name")).out).toBe("web\n");
    expect((await plat("pool get -o name --context other")).exit).toBe(3);
    await plat("config use other");
    expect((await plat("pool get -o name")).exit).toBe(3);
    expect((await plat("pool get -o name", { PLAT_CONTEXT: "lab" })).out).toBe("web\n");
    const { out } = await plat("config get -o jsonpath={.contexts[?(@.current==true)].name}");
    expect(out).toBe("other\n");
    await plat("config delete other");
    expect((await plat("config get -o name")).out).toBe("lab\n");
  });

  it.each(["endpoint", "space", "region", "profile", "token-file"])(
    "is not written with an empty --%s",
    async (option) => {
      await plat(`config set lab --endpoint ${server().url}`);
      const set = ["config", "set", "lab", "--endpoint", server().url, `--${option}`, ""];
      expect(await platWith({ env: { PLAT_CONFIG: config } }, ...set)).toEqual({
        exit: 2,
        out: "",
        err: `Error: --${option} is empty; leave it out, or give it a value.\n`,
      });
      expect((await plat("config get -o name")).out).toBe("lab\n");
    },
  );

  it("is overruled by the environment, and gives another endpoint neither its token nor its space", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "plat-token-")), "token");
    writeFileSync(file, "not a token that the server gets, or the request would fail\n");
    await plat(`config set other --endpoint http://127.0.0.1:1 --space blue --token-file ${file}`);
    const env = { PLAT_ENDPOINT: server().url };
    const listed = await plat("pool get -o json", env);
    expect(listed).toMatchObject({ exit: 0, err: expect.stringContaining('Space "default"') });
    const both = await plat("pool get --context other", env);
    expect(both.err).toContain("Note: PLAT_ENDPOINT is set, so context other is not used.\n");
    await plat(`config set lab --endpoint ${server().url} --space blue`);
    const { err } = await plat("pool get --context lab", { PLAT_SPACE: "red" });
    expect(err).toContain('Space "red" has no pools.');
  });

  it("sends the token in its file, unless the environment has one", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "plat-token-")), "token");
    writeFileSync(file, "a b\n");
    await plat(`config set lab --endpoint ${server().url} --token-file ${file}`);
    const { exit, err } = await plat("pool get");
    expect({ exit, err }).toEqual({
      exit: 2,
      err: "Error: The token must have visible ASCII characters only.\n",
    });
    expect((await plat("pool get", { PLAT_TOKEN: "x".repeat(20) })).exit).toBe(0);
  });

  it("reads its token file anew during a command, because somebody may replace it", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "plat-token-")), "token");
    writeFileSync(file, "a-token\n");
    await plat(`config set lab --endpoint ${server().url} --token-file ${file}`);
    let press: (() => void) | undefined;
    let looks = 0;
    const given = {
      env: { PLAT_ENDPOINT: "", PLAT_SPACE: "", PLAT_CONFIG: config },
      interrupt(pressed: (() => void) | undefined) {
        press ??= pressed;
      },
      async sleep() {
        if (looks++ === 0) writeFileSync(file, "a b\n");
        else press?.();
      },
    };
    expect(await platWith(given, "pool", "get", "--watch")).toMatchObject({
      exit: 2,
      err: expect.stringContaining("Error: The token must have visible ASCII characters only.\n"),
    });
  });

  it("stays in the file to which a symlink leads", async () => {
    const target = join(mkdtempSync(join(tmpdir(), "plat-dotfiles-")), "plat.yaml");
    mkdirSync(dirname(config));
    writeFileSync(target, "contexts: {}\n");
    symlinkSync(target, config);
    await plat("config set lab --endpoint http://127.0.0.1:1");
    expect(lstatSync(config).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("lab:");
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it("finds its token file from every folder", async () => {
    await plat("config set lab --endpoint http://127.0.0.1:1 --token-file token");
    expect((await plat("config get -o jsonpath={.contexts[0].tokenFile}")).out).toBe(
      `${join(process.cwd(), "token")}\n`,
    );
  });

  it("stands in a file that no other user can read, without empty fields", async () => {
    await plat("config set lab --endpoint http://127.0.0.1:1");
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(readFileSync(config, "utf8")).toBe(
      "current: lab\ncontexts:\n  lab:\n    endpoint: http://127.0.0.1:1\n",
    );
  });

  it.each([
    ["config use nope", 'There is no context "nope" in '],
    ["config delete nope", 'There is no context "nope" in '],
    ["pool get --context nope", "Make one with `plat config set nope --endpoint URL`."],
    ["config set lab", "plat config set needs --endpoint."],
    ["config set lab --endpoint here", 'The endpoint is "here"; it must be a URL'],
  ])("that is missing or not valid is an error of `plat %s`", async (line, said) => {
    const { exit, err } = await plat(line);
    expect(exit).toBe(2);
    expect(err).toContain(said);
  });

  it("that the file has otherwise is named with its field", async () => {
    await plat("config set lab --endpoint http://127.0.0.1:1");
    writeFileSync(config, "contexts: { lab: { endpoint: 7 } }\n");
    const { exit, err } = await plat("pool get");
    expect(exit).toBe(2);
    expect(err).toContain("is not valid at contexts.lab.endpoint: ");
    expect(err).toContain("\n  Mend the file, or delete it.\n");
    expect((await plat("pool get", { PLAT_ENDPOINT: server().url })).exit).toBe(0);
  });
});

describe("plat login", () => {
  it("says who the caller is and what it may do", async () => {
    const { exit, out } = await plat("login", { PLAT_ENDPOINT: server().url });
    expect(exit).toBe(0);
    expect(out).toBe(
      `You are local at ${server().url}.\nYour roles: operator in every space.\nCommands work in space "default".\n`,
    );
  });

  it("ends with the reason if the server cannot be reached", async () => {
    const { exit, err } = await plat("login", { PLAT_ENDPOINT: "http://127.0.0.1:1" });
    expect(exit).toBe(3);
    expect(err).toContain("Nothing was sent.");
  });
});

describe("plat version", () => {
  it("shows client and server", async () => {
    const { exit, out } = await plat("version -o json", { PLAT_ENDPOINT: server().url });
    expect({ exit, out: JSON.parse(out) }).toEqual({
      exit: 0,
      out: { client: BUILD, server: BUILD },
    });
  });

  it("shows the client alone without a server, and ends with the reason", async () => {
    const { exit, out } = await plat("version", { PLAT_ENDPOINT: "http://127.0.0.1:1" });
    expect(exit).toBe(3);
    expect(out).toBe(`Client: ${BUILD.version} (commit none, run from the sources)\n`);
  });
});
