import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { templates } from "../../cdk/templates.ts";
import { Stack } from "../../constructs/cloud-formation.ts";
import { functionsOf, gatewayBefore } from "../../constructs/deployed.ts";
import { call } from "../../local/process.ts";

/* The package as `npm pack` makes it, installed into an empty folder. */

/** The types that only the example has, or only stages: managed policies. */
const BESIDE_PLAT = new Set([
  "Custom::PlatPool",
  "AWS::CloudFormation::WaitConditionHandle",
  "AWS::IAM::ManagedPolicy",
]);

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TOOLS = join(ROOT, "node_modules", ".bin");
const run = promisify(execFile);

const tarball = inject("tarball");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-package-"));
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  // The package brings no other but those with binaries, which are optional: the test needs no registry.
  const args = ["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", tarball];
  await run("npm", args, { cwd: folder });
}, 900_000);
afterAll(() => rm(folder, { recursive: true }));

/** Starts `plat serve` of the package, and returns its URL and the function that stops it. */
const serving = () =>
  listening(
    spawn(join(folder, "node_modules", ".bin", "plat"), ["serve", "--memory", "--port", "0"], {
      cwd: folder,
    }),
  );

/** Waits until a server listens. Returns its URL and the function that stops it. */
async function listening(child: ChildProcessByStdio<null | Writable, Readable, Readable>) {
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
  const [trace] = error.stack.split("\\n");
  console.log(released.results[0].status, error instanceof ApiError, error.code, trace.slice(0, 9));
  console.log(/src\\/client\\/http\\.ts:\\d+/.test(error.stack));
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
        const args = ["--enable-source-maps", file, url];
        const { stdout } = await run(process.execPath, args, { cwd: folder });
        expect(stdout).toBe("released true not_found ApiError:\ntrue\n");
      }
      const plat = join(folder, "node_modules", ".bin", "plat");
      const line = ["pool", "get", "-o", "name", "--endpoint", url, "--space", "blue"];
      expect((await run(plat, line, { cwd: folder })).stdout).toBe("main\n");
      expect((await fetch(`${url}/console`)).headers.get("content-type")).toMatch(/^text\/html/);
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  it("gets to a first address by one command, without lmdb", async () => {
    const { stdout } = await run(join(folder, "node_modules", ".bin", "plat-ipam"), ["demo"]);
    expect(stdout).toMatch(/^The first address, 10\.64\.\d+\.\d+, went to /m);
    expect(stdout).toContain("No address was given twice");
  });

  it("has types that a strict program accepts, with its mistakes found", async () => {
    await writeFile(
      join(folder, "typed.mts"),
      `import { platClient } from "plat-ipam/client";
const plat = platClient({ endpoint: "http://127.0.0.1:8787" });
for await (const { pools } of plat.pages.listPools()) pools[0]?.cidr satisfies string | undefined;
(await plat.assign({ body: { host: "n", ipv4: 1 } })).body.addresses satisfies readonly object[];
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
});

describe("the constructs of the installed package", () => {
  const EXAMPLE_APP = join(ROOT, "docs", "examples", "cdk", "app.mjs");

  beforeAll(async () => {
    // The CDK is a peer, which a program that uses the constructs has.
    for (const peer of ["aws-cdk-lib", "constructs"])
      await symlink(join(ROOT, "node_modules", peer), join(folder, "node_modules", peer));
  });

  /** Runs a program as the command of the CDK does, and returns the folder with its templates. */
  async function synthesized(file: string, plat: object) {
    const assembly = join(folder, `out-of-${basename(file)}`);
    const context = JSON.stringify({ plat });
    const env = { ...process.env, CDK_OUTDIR: assembly, CDK_CONTEXT_JSON: context };
    await run(process.execPath, [file], { cwd: folder, env });
    return assembly;
  }

  it("have types that a strict program accepts, with its mistakes found", async () => {
    await writeFile(
      join(folder, "typed-cdk.mts"),
      `import type { Construct } from "constructs";
import { PlatAddress, type PlatApi, PlatPool } from "plat-ipam/cdk";
export const gateway = (scope: Construct, api: PlatApi): string => {
  const pool = new PlatPool(scope, "Lan", { api, cidr: "10.1.0.0/24", kind: "subnet" });
  // @ts-expect-error -- there is no such family
  new PlatAddress(scope, "Other", { pool, family: 5 });
  return new PlatAddress(scope, "Ip", { pool, handle: "web-0" }).gateway;
};
`,
    );
    const strict = ["--noEmit", "--strict", "--skipLibCheck", "--types", ""];
    const line = [...strict, "--module", "nodenext", "--target", "es2023", "typed-cdk.mts"];
    await run(join(TOOLS, "tsc"), line, { cwd: folder });
  });

  it("give the stack of the example its pool, address and prefix, with the rights of each kind", async () => {
    const { url, stop } = await serving();
    const gateway = await gatewayBefore(url);
    await call(url, "PUT", "/v1/pools/vpcs", {
      cidr: "10.64.0.0/12",
      assign: "prefixes",
      blockSize: 20,
    });
    await copyFile(EXAMPLE_APP, join(folder, "app.mjs"));
    const example = await readFile(EXAMPLE_APP, "utf8");
    expect(await readFile(join(ROOT, "docs", "cdk.md"), "utf8")).toContain(
      `\`\`\`js\n${example}\`\`\``,
    );
    const assembly = await synthesized("app.mjs", { apiId: "abc123", endpoint: gateway.url });
    const {
      template,
      statementsOf,
      invoke,
      stop: stopFunctions,
    } = await functionsOf(assembly, "shop");
    const heldBy = async (handle = "") =>
      (await call(url, "GET", `/v1/handles/${encodeURIComponent(handle)}`)).status;
    const prefixes = (handle: string) =>
      call(url, "GET", `/v1/prefixes?handle=${encodeURIComponent(handle)}`);
    try {
      const stack = new Stack((event) => {
        gateway.serve(statementsOf(event.ServiceToken));
        // The delete of a pool takes more than a minute, and gets less.
        return invoke(event, event.RequestType === "Delete" ? 30_000 : 900_000);
      });
      expect(await stack.deploy(template)).toBeUndefined();
      const { Cidr, Gateway } = stack.dataOf("Web");
      expect([Cidr, Gateway]).toEqual([expect.stringMatching(/^10\.1\.0\.\d+\/24$/), "10.1.0.1"]);
      expect(await heldBy("web-0")).toBe(200);
      const { Cidr: range, Handle = "" } = stack.dataOf("Range");
      expect((await prefixes(Handle)).body.prefixes).toMatchObject([{ cidr: range }]);
      await expect(stack.delete()).rejects.toThrow("is still being deleted");
      expect(await heldBy("web-0")).toBe(404);
      expect((await prefixes(Handle)).status).toBe(404);
      expect(gateway.denied).toEqual([]);
    } finally {
      stopFunctions();
      gateway.stop();
      await stop();
    }
  });

  it("make an environment without a clone: the resources of npm run deploy, and a bundle for each function", async () => {
    const file = "environment.mjs";
    const example = await readFile(join(ROOT, "docs", "examples", "cdk", file), "utf8");
    expect(await readFile(join(ROOT, "docs", "cdk.md"), "utf8")).toContain(
      `\`\`\`js\n${example}\`\`\``,
    );
    await writeFile(join(folder, file), example);
    const assembly = await synthesized(file, {});
    const read = async (path: string) => JSON.parse(await readFile(join(assembly, path), "utf8"));
    const { Resources } = await read("shop-ipam.template.json");
    const made = Object.values<{ Type: string; Properties: { Code: { S3Key: string } } }>(
      Resources,
    );
    const { files } = await read("shop-ipam.assets.json");
    const served = made.filter(({ Type }) => Type === "AWS::Lambda::Function");
    expect(served.length).toBeGreaterThan(17);
    for (const { Properties } of served) {
      const { source } = files[Properties.Code.S3Key.replace(".zip", "")];
      const size = (await readFile(join(assembly, source.path, "index.mjs"))).length;
      expect(size).toBeGreaterThan(10_000);
    }
    const types = (all: readonly { readonly Type: string }[]) =>
      new Set(all.map(({ Type }) => Type).filter((type) => !BESIDE_PLAT.has(type)));
    const deployed = Object.values(templates.dev).flatMap((template) =>
      Object.values<{ Type: string }>(template.toJSON().Resources),
    );
    expect([...types(made)].sort()).toEqual([...types(deployed)].sort());
  });

  it("are the environment of the app that plat init writes", async () => {
    const plat = join(folder, "node_modules", ".bin", "plat");
    await run(plat, ["init", "first-ipam", "--package", tarball], { cwd: folder });
    const { app } = JSON.parse(await readFile(join(folder, "first-ipam", "cdk.json"), "utf8"));
    expect(app).toBe("node app.mjs");
    const assembly = await synthesized("first-ipam/app.mjs", {});
    const template = await readFile(join(assembly, "first-ipam.template.json"), "utf8");
    const { Resources, Outputs } = JSON.parse(template);
    expect(Object.keys(Resources).length).toBeGreaterThan(150);
    expect(Object.keys(Outputs)).toContain("Endpoint");
  });

  it("are there for CommonJS, and replace a resource whose API or space is another", async () => {
    await writeFile(
      join(folder, "app.cjs"),
      `const { App, Stack } = require("aws-cdk-lib");
const { PlatAddress, PlatApi, PlatPool } = require("plat-ipam/cdk");
const app = new App();
const ids = ["red", "blue"].map((space) => {
  const stack = new Stack(app, space);
  const api = new PlatApi(stack, "Plat", { apiId: "abc123", space });
  const ip = new PlatAddress(stack, "Ip", { pool: PlatPool.fromPoolName(api, "lan") });
  return stack.getLogicalId(ip.node.defaultChild);
});
if (ids[0] === ids[1]) process.exit(1);
`,
    );
    const assembly = await synthesized("app.cjs", {});
    const { template, statementsOf, stop } = await functionsOf(assembly, "blue");
    stop();
    const [id = ""] = Object.keys(template.Resources).filter((one) => one.includes("Function"));
    expect(statementsOf(id).flatMap(({ Resource }) => Resource)).toEqual(
      [
        "GET/v1/spaces/blue/handles/*",
        "POST/v1/spaces/blue/assign",
        "POST/v1/spaces/blue/release",
      ].map((one) => `arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/${one}`),
    );
  });
});

describe.each([
  ["proxmox", "qm", ["101"], /^set 101 --ipconfig0 ip=(10\.1\.0\.\d+)\/24,gw=10\.1\.0\.1$/],
  [
    "maas",
    "maas",
    ["exqn37", "58"],
    /^lab interface link-subnet exqn37 58 mode=static subnet=10\.1\.0\.0\/24 ip_address=(10\.1\.0\.\d+)$/,
  ],
] as const)("the recipe for %s", (example, program, names, told) => {
  it("assigns one address however often it runs, tells it to the program, and releases it", async () => {
    const { url, stop } = await serving();
    await call(url, "PUT", "/v1/pools/lan", {
      cidr: "10.1.0.0/24",
      kind: "subnet",
      gateway: "10.1.0.1",
    });
    // The program notes what it is told.
    const bin = await mkdtemp(join(folder, "bin-"));
    const notes = join(bin, "notes");
    await writeFile(join(bin, program), `#!/bin/sh\necho "$*" >> ${notes}\n`, { mode: 0o755 });
    const PATH = [bin, join(folder, "node_modules", ".bin"), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH, PLAT_ENDPOINT: url, PROFILE: "lab" };
    const recipe = (...args: readonly string[]) =>
      run(join(ROOT, "docs", "examples", example, "address.sh"), args, { env });
    const held = () => call(url, "GET", `/v1/handles/${example}/${names[0]}`);
    try {
      for (let runs = 0; runs < 2; runs++) await recipe("assign", ...names);
      const [first, second] = (await readFile(notes, "utf8")).trim().split("\n");
      expect(first).toMatch(told);
      expect(second).toBe(first);
      const [, address] = told.exec(first ?? "") ?? [];
      expect((await held()).body.addresses).toMatchObject([{ address }]);
      await recipe("release", names[0]);
      expect((await held()).status).toBe(404);
      expect((await recipe("release", names[0])).stderr).toMatch(
        /^Note: handle .* has no addresses/,
      );
    } finally {
      await stop();
    }
  });
});

/* To run what an image has, a test makes its files the root of a process. */
describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("the image", () => {
  const blobs = join(ROOT, "dist", "image", "blobs", "sha256");
  const hashOf = (digest: string) => digest.replace(/^sha256:/, "");
  const jsonAt = async (digest: string) =>
    JSON.parse(await readFile(join(blobs, hashOf(digest)), "utf8"));
  let root: string;

  /** Starts what the image has as a container would: this command, or else its entry point, as its user, with these arguments. */
  async function started(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    command?: readonly string[],
  ) {
    const index = JSON.parse(await readFile(join(ROOT, "dist", "image", "index.json"), "utf8"));
    const manifest = await jsonAt(index.manifests[0].digest);
    const { config } = await jsonAt(manifest.config.digest);
    const inRoot = ["--userspec", config.User, root, ...(command ?? config.Entrypoint), ...args];
    const own = Object.fromEntries(config.Env.map((entry: string) => entry.split("=")));
    return { config, child: spawn("/usr/sbin/chroot", inRoot, { env: { ...own, ...env } }) };
  }

  beforeAll(async () => {
    await run("npm", ["run", "--silent", "build:image"], { cwd: ROOT });
    root = await mkdtemp(join(tmpdir(), "plat-image-"));
    const index = JSON.parse(await readFile(join(ROOT, "dist", "image", "index.json"), "utf8"));
    const { layers } = await jsonAt(index.manifests[0].digest);
    for (const { digest } of layers)
      await run("tar", ["-xzf", join(blobs, hashOf(digest)), "-C", root]);
  }, 900_000);
  afterAll(() => rm(root, { recursive: true }));

  it("has the digest of each blob as its name", async () => {
    for (const name of await readdir(blobs))
      expect(
        createHash("sha256")
          .update(await readFile(join(blobs, name)))
          .digest("hex"),
      ).toBe(name);
  });

  it("refuses other machines without a token, as its command says", async () => {
    const { child, config } = await started(
      ["serve", "--data", "/data", "--listen", "0.0.0.0"],
      {},
    );
    expect(config.Cmd).toEqual(["serve", "--data", "/data", "--listen", "0.0.0.0"]);
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining("needs a token") });
  });

  it("serves from its own files, and keeps its data in /data", async () => {
    const PLAT_TOKEN = "a-token-of-the-tests";
    const args = ["serve", "--data", "/data", "--port", "0"];
    const { child } = await started(args, { PLAT_TOKEN });
    const { url, stop } = await listening(child);
    const as = { headers: { authorization: `Bearer ${PLAT_TOKEN}` } };
    expect(await (await fetch(`${url}/readyz`, as)).json()).toEqual({ status: "ready" });
    expect((await fetch(`${url}/console/`, as)).status).toBe(200);
    expect(await stop()).toBe(0);
    expect(await readdir(join(root, "data"))).toContain("plat.lmdb");
  });

  it("runs the controller as its Deployment says, with its configuration and its account", async () => {
    const choices = ["--endpoint", "http://127.0.0.1:9", "--no-nodes", "--end-pods"];
    const { child: printer } = await started(["manifest", ...choices], {}, ["plat-controller"]);
    const objects = parseAllDocuments(await text(printer.stdout)).map((each) => each.toJS());
    const ofKind = (kind: string) => objects.find((object) => object.kind === kind);
    const [{ command, args }] = ofKind("Deployment").spec.template.spec.containers;
    const account = join(root, "var", "run", "secrets", "kubernetes.io", "serviceaccount");
    await mkdir(account, { recursive: true });
    for (const name of ["token", "ca.crt", "namespace"]) await writeFile(join(account, name), "x");
    await mkdir(join(root, "etc", "plat"));
    await writeFile(
      join(root, "etc", "plat", "config.yaml"),
      ofKind("ConfigMap").data["config.yaml"],
    );
    const anyPort = args.map((each: string) => (/^:\d+$/.test(each) ? "127.0.0.1:0" : each));
    expect(anyPort).not.toEqual(args);
    const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "9" };
    const { child } = await started(anyPort, env, command);
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    expect((await fetch(`http://127.0.0.1:${JSON.parse(line).port}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });
});
