import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

/* The package as `npm pack` makes it, installed into an empty folder. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = join(ROOT, "node_modules", ".bin");
const run = promisify(execFile);

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-package-"));
  await run("npm", ["run", "--silent", "build"], { cwd: ROOT });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: ROOT });
  tarball = join(folder, `plat-ipam-${manifest.version}.tgz`);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  // The package brings no other but those with binaries, which are optional: the test needs no registry.
  const args = ["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", tarball];
  await run("npm", args, { cwd: folder });
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

/** Starts `plat serve` of the package, and returns its URL and the function that stops it. */
async function serving() {
  const args = ["serve", "--memory", "--port", "0"];
  const child = spawn(join(folder, "node_modules", ".bin", "plat"), args, { cwd: folder });
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^Plat listens on (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    const stop = async () => {
      child.kill("SIGINT");
      return (await once(child, "exit"))[0] as number;
    };
    return { url, stop };
  }
  return expect.unreachable("the server ended");
}

const EXAMPLE = `
const plat = platClient({ endpoint: process.argv[2], space: "blue" });
(async () => {
  await plat.putPool({ name: "main", body: { cidr: "10.0.0.0/24" } });
  const { body } = await plat.assign({ body: { host: "node-1", ipv4: 1, handle: "web-0" } });
  const [{ address, generation }] = body.addresses;
  const { body: released } = await plat.release({ body: { addresses: [{ address, generation }] } });
  const error = await plat.readPool({ name: "nope" }).catch((thrown) => thrown);
  console.log(released.results[0].status, error instanceof ApiError, error.code);
})();
`;

describe("the installed package", () => {
  it("brings no other package", async () => {
    const installed = await readdir(join(folder, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["plat-ipam"]);
  });

  it("has the command, a server, and a client for ES modules and for CommonJS", async () => {
    const { url, stop } = await serving();
    try {
      await writeFile(
        join(folder, "a.mjs"),
        `import { ApiError, platClient } from "plat-ipam/client";${EXAMPLE}`,
      );
      await writeFile(
        join(folder, "b.cjs"),
        `const { ApiError, platClient } = require("plat-ipam/client");${EXAMPLE}`,
      );
      for (const file of ["a.mjs", "b.cjs"]) {
        const { stdout } = await run(process.execPath, [file, url], { cwd: folder });
        expect(stdout).toBe("released true not_found\n");
      }
      const plat = join(folder, "node_modules", ".bin", "plat");
      const line = ["pool", "get", "-o", "name", "--endpoint", url, "--space", "blue"];
      expect((await run(plat, line, { cwd: folder })).stdout).toBe("main\n");
      expect((await fetch(`${url}/console`)).headers.get("content-type")).toMatch(/^text\/html/);
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  it("has types that a strict program accepts, with its mistakes found", async () => {
    await writeFile(
      join(folder, "typed.mts"),
      `import { platClient } from "plat-ipam/client";
const plat = platClient({ endpoint: "http://127.0.0.1:8787" });
for await (const { pools } of plat.pages.listPools()) pools[0]?.cidr satisfies string | undefined;
// @ts-expect-error -- the host is missing
await plat.assign({ body: { ipv4: 1 } });
`,
    );
    const strict = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--skipLibCheck",
      "false",
    ];
    const types = ["--typeRoots", join(ROOT, "node_modules", "@types"), "--types", "node"];
    const line = [...strict, ...types, "--module", "nodenext", "--target", "es2023", "typed.mts"];
    await run(join(TOOLS, "tsc"), line, { cwd: folder });
  });

  it("has nothing that publint or attw find", async () => {
    await run(join(TOOLS, "publint"), ["run", "--strict", tarball], { cwd: folder });
    await run(join(TOOLS, "attw"), [tarball], { cwd: folder });
  });
});
