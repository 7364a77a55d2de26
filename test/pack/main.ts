import { deepStrictEqual } from "node:assert";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installPackages } from "../../pack/packages.ts";
import { PUBLISHED } from "../../pack/published.ts";
import manifest from "../../package.json" with { type: "json" };
import { templatesOfPackage, templatesOfSources } from "./templates.ts";

/**
 * `npm run check:package`: what the package is, to whoever installs it. Each check prints a sentence; the first that does
 * not hold ends the script. It needs the registry for the packages that the checks install.
 *
 * With `WHOLE=true` it also builds twice, takes the lowest version of the CDK, and starts a server without the tools of
 * development.
 */
const isWhole = process.env.WHOLE === "true";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
/** The files of the package, with a star in place of a hash. */
const FILES = join(HERE, "files.txt");
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "plat-package-"));
try {
  await installPackages(HERE);
  if (isWhole) await installPackages(join(HERE, "lowest"));
  const tarball = await pack("first");
  await checkFiles();
  await checkRules(tarball);
  await checkTemplates(tarball, isWhole ? [ROOT, join(HERE, "lowest")] : [ROOT]);
  if (isWhole) {
    await checkSame(tarball);
    await checkServer();
  }
} catch (error) {
  const { stdout = "", stderr = error } = error as { stdout?: string; stderr?: string };
  console.error(`${stdout}${stderr}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** Builds the package anew, and returns its tarball. */
async function pack(name: string): Promise<string> {
  await run("npm", ["run", "--silent", "build"], { cwd: ROOT });
  const destination = join(folder, name);
  await mkdir(destination);
  await run("npm", ["pack", `./${PUBLISHED}`, "--pack-destination", destination], { cwd: ROOT });
  return join(destination, `${manifest.name}-${manifest.version}.tgz`);
}

async function checkSame(tarball: string): Promise<void> {
  const hashOf = async (file: string) =>
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  deepStrictEqual(await hashOf(await pack("second")), await hashOf(tarball));
  console.log("Two builds make the same package, byte by byte.");
}

async function checkFiles(): Promise<void> {
  const all = await readdir(join(ROOT, PUBLISHED), { recursive: true, withFileTypes: true });
  const names = all
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(ROOT, PUBLISHED).length + 1))
    .map((name) => name.replace(/(console\/assets\/.*)-[\w-]{8}\./, "$1-*."))
    .sort();
  deepStrictEqual(names, (await readFile(FILES, "utf8")).trimEnd().split("\n"));
  console.log(`The package has the ${names.length} files of test/pack/files.txt.`);
}

async function checkRules(tarball: string): Promise<void> {
  for (const [name, ...args] of [["publint", "run", "--strict"], ["attw"]])
    await run(join(HERE, "node_modules", ".bin", name ?? ""), [...args, tarball], { cwd: folder });
  console.log("publint and attw find nothing.");
}

/** Compares the templates that the package makes, with each version of the CDK, with those of the sources. */
async function checkTemplates(tarball: string, places: readonly string[]): Promise<void> {
  const expected = await templatesOfSources(folder);
  for (const place of places) {
    const modules = join(place, "node_modules");
    const library = await readFile(join(modules, "aws-cdk-lib", "package.json"), "utf8");
    deepStrictEqual(await templatesOfPackage(folder, tarball, modules), expected);
    console.log(
      `With aws-cdk-lib ${JSON.parse(library).version} the package makes the templates of the sources.`,
    );
  }
}

/** Starts the server of a copy of the sources, whose packages are installed without the tools of development. */
async function checkServer(): Promise<void> {
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
  try {
    for await (const line of createInterface(server.stdout)) {
      const [, url] = /^Plat listens on (\S+)$/.exec(line) ?? [];
      if (url === undefined) continue;
      deepStrictEqual((await fetch(new URL("/readyz", url))).status, 200);
      console.log("npm ci --omit=dev && npm start serves.");
      return;
    }
    throw new Error("npm start ended before it served.");
  } finally {
    const ended = once(server, "exit");
    process.kill(-(server.pid ?? 0), "SIGTERM");
    await ended;
  }
}
