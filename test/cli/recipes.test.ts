import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { call, type Started, start } from "../local/process.ts";
import { bundledProgram } from "../programs.ts";
import { stepsOf } from "./page.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== "docs", encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Pages whose commands another suite runs: `test/cli/tour.test.ts`, `test/twin/runbook.test.ts`. */
const ELSEWHERE: ReadonlySet<string> = new Set(["docs/tour.md", "docs/runbook.md"]);

/** What a block of a page may be. Blocks without a language are commands that run here. */
const LANGUAGES: ReadonlySet<string> = new Set([
  "",
  "hcl",
  "http",
  "js",
  "json",
  "python",
  "sh",
  "sql",
  "text",
  "ts",
  "yaml",
]);
/** What a command may need that no test has. `tools` are the generators and clients of others. */
const NEEDS: ReadonlySet<string> = new Set(["aws", "cluster", "tools"]);

interface Block {
  readonly page: string;
  readonly line: number;
  /** The words behind the fence. */
  readonly info: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = PAGES.flatMap((page) => {
  const content = read(page);
  return [...content.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(
    ({ index, 1: info = "", 2: block = "" }) => ({
      page,
      line: content.slice(0, index).split("\n").length + 1,
      info,
      text: block,
    }),
  );
});

it("each block of the documentation says what it is, and what commands in it need", () => {
  const unknown = BLOCKS.filter(({ info }) => {
    const [language = "", ...needs] = info.split(" ");
    // Commands that need nothing have no language, and run here.
    const isNeedless = language === "sh" && needs.length === 0;
    return isNeedless || !LANGUAGES.has(language) || needs.some((need) => !NEEDS.has(need));
  });
  expect(unknown).toEqual([]);
});

it("curl is given what version 7.81 has", () => {
  expect(BLOCKS.filter(({ text }) => /curl[^|]*--json/s.test(text))).toEqual([]);
});

const MINUTES_MS = 600_000;

/** What a page takes for granted: commands that come before one of its blocks, by the start of the block. */
const BEFORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/clients.md": {
    "plat batch": "plat pool create main --cidr 10.0.0.0/16",
    "curl http": "plat pool delete main --yes --wait || true",
  },
  "docs/migrate.md": {
    "plat import netbox": "cp docs/examples/migrate/ip-addresses.json .",
    "plat pool create phpipam": "cp docs/examples/migrate/phpipam.csv .",
    "kubectl get spidersubnets": "kubectl() { cat docs/examples/migrate/spiderpool.json; }",
    "kubectl get ippools": "kubectl() { cat docs/examples/migrate/whereabouts.json; }",
    "plat pool create pods": "mkdir networks; cp -r docs/examples/migrate/podnet networks",
  },
  "docs/netbox.md": {
    "curl -H": "plat pool create lan --cidr 10.1.0.0/24",
  },
  "docs/plat.md": {
    "$ plat pool drain web": "plat pool create web --cidr 10.9.0.0/24",
    "plat import csv":
      "plat pool create racks --cidr 10.0.0.0/24; sed -n '/^address,handle/,/^```/{/^```/!p}' docs/plat.md > addresses.csv",
  },
  "docs/pools.md": {
    "plat pool delete default-ipv4": "plat pool create default-ipv4 --cidr 10.0.0.0/16",
  },
  "docs/spaces.md": {
    "curl http": "plat pool create main --cidr 10.0.0.0/16 --space blue",
  },
};

/** Pages whose blocks show alternatives, each of which runs in a space of its own. */
const ALTERNATIVES: ReadonlySet<string> = new Set(["docs/pools.md"]);

/** Programs that another suite starts (`test/scripts.test.ts`), or that change the machine. */
const STUBS = ["npm", "npx", "sudo", "install"];

const RUN = BLOCKS.filter(({ page, info }) => info === "" && !ELSEWHERE.has(page));

let bin: string;
/** How the commands of each block ended. */
const ended = new Map<Block, { code: number; out: string; errors: string }>();

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "plat-"));
  const program = await bundledProgram("src/cli/main.ts");
  const curl = `exec /usr/bin/env -u BASH_ENV PATH="\${PATH#*:}" curl -sSf "$@"`;
  const programs = {
    plat: `exec ${process.execPath} ${program} "$@"`,
    curl,
    ...Object.fromEntries(STUBS.map((stub) => [stub, "exit 0"])),
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  // Side by side, because some commands wait until every function knows of a change.
  await Promise.all([...new Set(RUN.map(({ page }) => page))].map(typePage));
}, MINUTES_MS);
afterAll(async () => {
  await rm(bin, { recursive: true });
});

/** Runs commands as a page has them, and returns how they ended. */
async function type(
  commands: string,
  { cwd, server, space }: { cwd: string; server: Started; space?: string | undefined },
) {
  const shell = spawn(
    "bash",
    [
      "-e",
      "-o",
      "pipefail",
      "-c",
      commands.replaceAll(/http:\/\/(127\.0\.0\.1|ipam\.example):8787/g, server.url),
    ],
    {
      cwd,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: cwd,
        PLAT_ENDPOINT: server.url,
        TOKEN: "token",
        ...(space !== undefined && { PLAT_SPACE: space }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [out, errors, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, "close"),
  ]);
  return { code: code as number, out, errors };
}

/** Returns the commands of a block: those behind its prompts, or all of it. */
const commandsOf = (block: string): string =>
  block.startsWith("$ ")
    ? stepsOf(`\`\`\`\n${block}\`\`\``)
        .map(({ command }) => command)
        .join("\n")
    : block;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plat-"));
  await symlink(join(ROOT, "docs"), join(folder, "docs"));
  await copyFile(
    join(ROOT, "docs/examples/batch/machines.ndjson"),
    join(folder, "machines.ndjson"),
  );
  await copyFile(join(ROOT, "docs/examples/calico/ippools.yaml"), join(folder, "ippools.yaml"));
  return folder;
}

/** Runs the blocks of a page one after the other, over a server of their own. */
async function typePage(page: string): Promise<void> {
  const cwd = await newFolder();
  const server = await start(["--memory", "--port", "0", "--work-seconds", "1"]);
  for (const block of RUN.filter((one) => one.page === page)) {
    const space = ALTERNATIVES.has(page) ? `line-${block.line}` : undefined;
    const at = { cwd, server, space };
    const before = Object.entries(BEFORE[page] ?? {})
      .filter(([beginning]) => block.text.startsWith(beginning))
      .map(([, commands]) => `${commands}\n`);
    ended.set(block, await type(before.join("") + commandsOf(block.text), at));
  }
  server.process.kill();
  await server.ended;
  await rm(cwd, { recursive: true });
}

it.each(RUN)("the commands of $page run as written, from line $line", (block) => {
  const { code, errors } = ended.get(block) ?? {};
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
});

it("the recipe of docs/kubernetes.md sends every event of the watch", async () => {
  const [recipe] = BLOCKS.filter(
    ({ page, info }) => page === "docs/kubernetes.md" && info === "sh cluster",
  );
  const cwd = await newFolder();
  const server = await start(["--memory", "--port", "0"]);
  const events = ["node-1", "node-2"].map((name, i) => ({
    type: "ADDED",
    object: {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        uid: `uid-${name}`,
        resourceVersion: String(i + 1),
        creationTimestamp: "2026-03-11T08:12:45Z",
      },
    },
  }));
  await writeFile(
    join(cwd, "events.json"),
    events.map((one) => JSON.stringify(one, null, 4)).join("\n"),
  );
  const watching = 'kubectl() { [ "$1 $2" = "get nodes" ] && cat events.json; }\n';
  const { code, out, errors } = await type(`${watching}${recipe?.text}`, { cwd, server });
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(out.match(/applied/g)).toHaveLength(2);
  const { body } = await call(server.url, "GET", "/v1/nodes");
  expect(body.nodes).toMatchObject([{ name: "node-1" }, { name: "node-2" }]);
  server.process.kill();
  await server.ended;
  await rm(cwd, { recursive: true });
});

it("the role of docs/cilium.md grants what kubectl does in the recipe", () => {
  const [role = ""] = /apiVersion: rbac.*?(?=```)/s.exec(read("docs/cilium.md")) ?? [];
  const { rules } = parse(role) as { rules: { resources: string[]; verbs: string[] }[] };
  const verbs = Object.fromEntries(rules.map(({ resources, verbs }) => [resources[0], verbs]));
  // A patch by kubectl reads the object first, at the same subresource.
  expect(verbs).toEqual({
    ciliumnodes: ["get", "list", "watch", "patch"],
    "ciliumnodes/status": ["get", "patch"],
  });
});
