import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataDirectory } from "../../src/local/data-directory.ts";
import { readOptions } from "../../src/local/options.ts";
import { UsageError } from "../../src/local/usage-error.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const newDirectory = scratchDirectory();
const DATA = { XDG_DATA_HOME: "/data", LOCALAPPDATA: "/data" };
const ELSEWHERE = { DYNAMODB_ENDPOINT: "http://127.0.0.1:8000" };

it.each([
  ["linux", {}, "/home/a/.local/share/plat"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/data/plat"],
  ["linux", { XDG_DATA_HOME: "data" }, "/home/a/.local/share/plat"],
  ["freebsd", { LOCALAPPDATA: "C:" }, "/home/a/.local/share/plat"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/home/a/Library/Application Support/plat"],
  ["win32", { LOCALAPPDATA: "C:\\Users\\a\\Local" }, "C:\\Users\\a\\Local\\plat"],
  ["win32", {}, "\\home\\a\\AppData\\Local\\plat"],
] as const)("on %s with %j data lies in %s", (platform, environment, directory) => {
  expect(dataDirectory(platform, "/home/a", environment)).toBe(directory);
});

describe("the command line", () => {
  it("may be empty", () => {
    expect(readOptions([], DATA)).toEqual({
      storage: { table: "file", data: dataDirectory(process.platform, homedir(), DATA) },
      listen: "127.0.0.1",
      token: undefined,
      port: 8787,
      reclaimSeconds: 60,
      repairSeconds: 60,
      workSeconds: 60,
    });
  });

  it("may ask for help", () => {
    expect(readOptions(["--help"], {})).toBeUndefined();
  });

  it.each([
    [["--port", "x"], '--port is "x"; it must be a whole number from 0 to 65535.'],
    [["--port", "65536"], '--port is "65536"; it must be a whole number from 0 to 65535.'],
    [["--port=-1"], '--port is "-1"; it must be a whole number from 0 to 65535.'],
    [["--reclaim-seconds", "0"], '--reclaim-seconds is "0"; it must be a whole number from 1 to'],
    [["--data", ""], "--data must name a directory."],
    [["--prot", "1"], "Unknown option '--prot'; --help shows the options."],
    [["serve"], "Unexpected argument 'serve'"],
  ])("%j is rejected in a sentence", (args, sentence) => {
    const read = () => readOptions(args, {});
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });

  it.each([
    [["--data", "d"], {}, { table: "file", data: "d" }],
    [["--memory"], {}, { table: "memory" }],
    [["--dynamodb"], {}, { table: "dynamodb" }],
    [["--dynamodb", "--memory"], {}, { table: "dynamodb" }],
    [["--dynamodb", "--data", "d"], {}, { table: "dynamodb", data: "d" }],
    [[], ELSEWHERE, { table: "endpoint", endpoint: "http://127.0.0.1:8000" }],
  ])("%j picks a table", (args, environment, storage) => {
    expect(readOptions(args, environment)?.storage).toEqual(storage);
  });

  it.each([
    [["--data", "d", "--memory"], {}, "--data and --memory exclude each other"],
    [["--data", "d"], ELSEWHERE, "DYNAMODB_ENDPOINT excludes --data"],
    [["--memory"], ELSEWHERE, "DYNAMODB_ENDPOINT excludes --data, --memory"],
    [["--dynamodb"], ELSEWHERE, "DYNAMODB_ENDPOINT excludes --data, --memory and --dynamodb"],
    [["--listen", "example.com"], {}, '--listen is "example.com"; it must be an IP address'],
    [["--listen", "0.0.0.0"], {}, "--listen 0.0.0.0 accepts other machines, and needs a token"],
    [["--listen", "::"], {}, "--listen :: accepts other machines, and needs a token"],
    [["--listen", "0.0.0.0"], { PLAT_TOKEN: "" }, "and needs a token"],
    [[], { PLAT_TOKEN: "short" }, "PLAT_TOKEN must have a token of at least 16 characters"],
    [[], { PLAT_TOKEN: "not a token: spaces" }, "PLAT_TOKEN must have a token of"],
    [["--token-file", "/nowhere"], {}, "--token-file cannot be read: ENOENT"],
  ])("%j with %j is rejected in a sentence", (args, environment, sentence) => {
    const read = () => readOptions(args, environment);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });

  it("takes the token of the file before that of the environment, and listens anywhere with one", async () => {
    const file = join(await newDirectory(), "token");
    await writeFile(file, "0123456789abcdef\n");
    expect(
      readOptions(["--listen", "0.0.0.0", "--token-file", file], { PLAT_TOKEN: "x".repeat(20) }),
    ).toMatchObject({ listen: "0.0.0.0", token: "0123456789abcdef" });
    expect(readOptions(["--listen", "::"], { PLAT_TOKEN: "x".repeat(20) })).toMatchObject({
      listen: "::",
      token: "x".repeat(20),
    });
  });

  it("needs no token where only this machine gets in", () => {
    for (const listen of ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
      expect(readOptions(["--listen", listen], {})).toMatchObject({ listen, token: undefined });
  });

  it("must not name an endpoint that is no URL", () => {
    const read = () => readOptions([], { DYNAMODB_ENDPOINT: "localhost:8000" });
    expect(read).toThrow('DYNAMODB_ENDPOINT is "localhost:8000"; it must be a URL');
  });
});
