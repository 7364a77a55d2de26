import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { PROBLEMS, type ProblemCode } from "../src/api/schema/problem.ts";
import { type Started, start } from "./local/process.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const documents = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
const PAGES = [...readdirSync(ROOT), ...documents.map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

/** The folders of the files that a page names. */
const PLACES = ["", "src/kernel", "model"];

it("docs/glossary.md names only what the code has", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => read(`src/${path}`))
    .join("\n");
  const rows = [...read("docs/glossary.md").matchAll(/^\| .* \| (.*) \|$/gm)];
  const names = rows.flatMap(([, places = ""]) =>
    [...places.matchAll(/`([A-Za-z]+)`/g)].map(([, name]) => name),
  );
  expect(rows.length).toBeLessThanOrEqual(60 + 3); // with the heads of three tables
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
});

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("names only commands that there are", () => {
    const named = [...text.matchAll(/npm run ([a-z][a-z:]*)/g)].map(([, name]) => name);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
  });

  it("names the problems of the API with their statuses", () => {
    const named = [...text.matchAll(/\b([45]\d\d) (?:with |\()?`(\w+)`/g)];
    const wrong = named.filter(([, status, code = ""]) => {
      const problem = PROBLEMS[code as ProblemCode] as { readonly status: number } | undefined;
      return problem !== undefined && problem.status !== Number(status);
    });
    expect(wrong.map(([words]) => words)).toEqual([]);
  });

  it("names only files and folders that there are", () => {
    const code =
      /(?<![\w/.-])(?:src|test|bench(?!\/results)|cdk|functions|model|twin)\/[\w./-]*\w/g;
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|pml))`/g)].map(([, path = ""]) => path);
    const missing = [...(text.match(code) ?? []), ...named].filter(
      (path) => !PLACES.some((place) => existsSync(join(ROOT, place, path))),
    );
    expect(missing).toEqual([]);
  });

  it("links only to files and headings that there are", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const broken = links.filter(([, path, heading]) => {
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(join(ROOT, target))) return true;
      return heading !== undefined && !anchorsOf(read(target)).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

it("docs/limits.md has the values of the constants that it names", async () => {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.includes("generated"),
  );
  const placeOf = (name: string) =>
    files.find((path) => read(`src/${path}`).includes(`export const ${name} =`)) ?? name;
  const rows = [...read("docs/limits.md").matchAll(/^\| .+ \| ([\d,/ ]+) \| (`.+`) \|$/gm)];
  expect(rows.length).toBeGreaterThan(30);
  for (const [, shown = "", names = ""] of rows) {
    const constants = [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    const values = await Promise.all(
      constants.map(async (name) => (await import(join(ROOT, "src", placeOf(name))))[name]),
    );
    expect([names, shown.split(" / ").map((one) => Number(one.replaceAll(",", "")))]).toEqual([
      names,
      values,
    ]);
  }
});

it("docs/faq.md has one row for each problem code, with its status", () => {
  const rows = [...read("docs/faq.md").matchAll(/^\| `(\w+)` \| (\d+): .+ \| .+ \|$/gm)];
  const told = rows.map(([, code, status]) => `${code} ${status}`);
  const known = Object.entries(PROBLEMS).map(([code, { status }]) => `${code} ${status}`);
  expect(told.sort()).toEqual(known.sort());
});

/** Returns the anchors that GitHub makes of headings. */
function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("the first address, as README.md shows it", () => {
  const README = read("README.md");
  let server: Started;

  beforeAll(async () => {
    server = await start(["--memory", "--port", "0"]);
  });
  afterAll(async () => {
    server.process.kill();
    await server.ended;
  });

  const shown = (text: string) => text.replaceAll("http://127.0.0.1:8787", server.url);
  const run = async (program: string, ...args: readonly string[]) =>
    (await promisify(execFile)(program, args)).stdout;

  it("comes by curl, and is released by its handle", async () => {
    const commands = [...README.matchAll(/^curl (?:[^\n]*\\\n)*[^\n]*$/gm)].map(([line]) => line);
    const answers: Record<string, unknown>[] = [];
    for (const command of commands)
      answers.push(JSON.parse(await run("bash", "-c", shown(command).replace("curl", "curl -sf"))));
    const [pool, assigned, released] = answers;
    expect(pool).toMatchObject({ cidr: "10.0.0.0/16" });
    const [, example = ""] = /```json\n(.*?)```/s.exec(README) ?? [];
    expect(Object.keys(assigned ?? {})).toEqual(Object.keys(JSON.parse(example)));
    expect(released).toMatchObject({ handle: "web-0", complete: true });
  });

  it("comes by code, and is released by its generation", async () => {
    const [, code = ""] = /```js\n(.*?)```/s.exec(README) ?? [];
    // Whoever tries it again is served again.
    for (const _ of [1, 2]) {
      const said = await run(process.execPath, "--input-type=module", "-e", shown(code));
      const [, address = ""] = /^web-1 has (10\.0\.\S+)\n$/.exec(said) ?? [];
      const after = await fetch(new URL(`/v1/addresses/${address}`, server.url));
      expect(await after.json()).toMatchObject({ state: "cooling" });
    }
  });
});
