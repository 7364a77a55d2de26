import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { terminal } from "../terminal.ts";

const { plat } = terminal();

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "plat-init-"));
});
afterAll(() => rm(place, { recursive: true }));

const init = (name: string, ...args: readonly string[]) => plat("init", join(place, name), ...args);
const read = (...path: readonly string[]) => readFile(join(place, ...path), "utf8");

it("plat init writes an app of a dozen lines, whose stack has the name of its folder", async () => {
  const { exit, out, err } = await init("shop-ipam");
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  expect(out).toContain("npx cdk deploy");
  expect((await readdir(join(place, "shop-ipam"))).sort()).toEqual([
    ".gitignore",
    "README.md",
    "app.mjs",
    "cdk.json",
    "package.json",
  ]);
  const app = await read("shop-ipam", "app.mjs");
  expect(app).toContain('new Stack(app, "shop-ipam")');
  expect(app).toContain('protection: "dev"');
  expect(app.split("\n").length).toBeLessThanOrEqual(16);
});

it("plat init names the versions of the CDK that Plat is tested with, and its own", async () => {
  await init("versions", "--protection", "prod");
  expect(JSON.parse(await read("versions", "package.json")).dependencies).toEqual({
    "aws-cdk": manifest.devDependencies["aws-cdk"],
    "aws-cdk-lib": manifest.devDependencies["aws-cdk-lib"],
    constructs: manifest.devDependencies.constructs,
    "plat-ipam": manifest.version,
  });
  expect(await read("versions", "app.mjs")).toContain('protection: "prod"');
});

it("plat init takes the package from a tarball, by its way from the folder", async () => {
  await init("packed", "--package", join(place, "plat-ipam.tgz"));
  const { dependencies } = JSON.parse(await read("packed", "package.json"));
  expect(dependencies["plat-ipam"]).toBe("file:../plat-ipam.tgz");
});

it("plat init leaves a folder with files as it is", async () => {
  await init("taken");
  await writeFile(join(place, "taken", "app.mjs"), "mine");
  const again = await init("taken");
  expect(again.exit).toBe(2);
  expect(again.err).toContain("has files already; name a new folder. Nothing was written.");
  expect(await read("taken", "app.mjs")).toBe("mine");
});

it.each(["Shop", "1shop", "shop_ipam", "aws-ipam", "ssm-ipam", "s".repeat(129)])(
  "plat init rejects the folder %s, which is no name of a stack",
  async (name) => {
    const { exit, err } = await init(name);
    expect(exit).toBe(2);
    expect(err).toContain(`The folder is "${name}"; the stack gets its name`);
  },
);
