import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

const FOLDER = ".github/workflows";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const text = readFileSync(`${FOLDER}/${file}`, "utf8");
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it("names each action by a commit, with its version beside it", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    const pinned = text.match(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? [];
    expect(pinned).toHaveLength(used.length);
  });

  it("may read the repository, and a job may do more only where it says so", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  it("runs scripts and files that there are", () => {
    const lines = steps.flatMap(({ run }) => run?.split("\n") ?? []);
    const scripts = lines.flatMap((line) => /npm run (\S+)/.exec(line)?.[1] ?? []);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
    const files = lines.flatMap((line) => /(\.ci\/\w+|pack\/[\w-]+\.ts)/.exec(line)?.[1] ?? []);
    for (const named of files) expect(readFileSync(named, "utf8")).not.toBe("");
  });
});
