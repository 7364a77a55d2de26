import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { installPackages } from "../../../pack/packages.ts";
import { PUBLISHED } from "../../../pack/published.ts";
import { pack } from "./setup.ts";
import { templatesOfPackage, templatesOfSources } from "./templates.ts";

/* What the package is, to whoever installs it. */

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The packages of the suite, the lowest version of the CDK among them, and the files of the package. */
const SUITE = join(ROOT, "test", "pack");
const LOWEST = join(SUITE, "lowest");
const tarball = inject("tarball");
const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-rules-"));
  await installPackages(SUITE);
});
afterAll(() => rm(folder, { recursive: true }));

it("has the files of test/pack/files.txt, where a star replaces a hash", async () => {
  const all = await readdir(join(ROOT, PUBLISHED), { recursive: true, withFileTypes: true });
  const names = all
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(ROOT, PUBLISHED).length + 1))
    .map((name) => name.replace(/(console\/assets\/.*)-[\w-]{8}\./, "$1-*."))
    .sort();
  expect(names).toEqual((await readFile(join(SUITE, "files.txt"), "utf8")).trimEnd().split("\n"));
});

it.each([["publint", "run", "--strict"], ["attw"]])("%s finds nothing", async (name, ...args) => {
  const program = join(SUITE, "node_modules", ".bin", name ?? "");
  await run(program, [...args, tarball], { cwd: folder }).catch(({ stdout, message }) => {
    throw new Error(stdout || message);
  });
});

describe.each([
  ["that of the sources", ROOT],
  ...(process.env.WHOLE === "true" ? [["the lowest", LOWEST] as const] : []),
] as const)("with the version of the CDK that is %s", (_, place) => {
  it("makes the templates of the sources", async () => {
    if (place === LOWEST) await installPackages(LOWEST);
    const made = await templatesOfPackage(folder, tarball, join(place, "node_modules"));
    expect(made).toEqual(await templatesOfSources(folder));
  });
});

describe.runIf(process.env.WHOLE === "true")("as it is released", () => {
  it("is the same after a second build, byte by byte", async () => {
    const hashOf = async (file: string) =>
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex");
    expect(await hashOf(await pack(join(folder, "second")))).toBe(await hashOf(tarball));
  });

  it("has a server whose sources need no tools of development", async () => {
    const copy = join(folder, "clone");
    const { stdout } = await run("git", ["ls-files", "-z"], { cwd: ROOT, maxBuffer: 1e8 });
    for (const file of stdout.split("\0").filter((name) => name !== "")) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await cp(join(ROOT, file), join(copy, file));
    }
    await run("npm", ["ci", "--omit=dev"], { cwd: copy });
    const server = spawn("npm", ["start", "--", "--memory", "--port", "0"], {
      cwd: copy,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(server, "exit");
    try {
      for await (const line of createInterface(server.stdout)) {
        const [, url] = /^Plat listens on (\S+)$/.exec(line) ?? [];
        if (url === undefined) continue;
        return expect((await fetch(new URL("/readyz", url))).status).toBe(200);
      }
      expect.unreachable("npm start ended before it served");
    } finally {
      process.kill(-(server.pid ?? 0), "SIGTERM");
      await ended;
    }
  });
});
