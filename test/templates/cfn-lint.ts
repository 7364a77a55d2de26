import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pythonProgram } from "./python.ts";

/** A finding of cfn-lint, with the type of its resource. */
export interface Found {
  readonly rule: string;
  readonly at: string;
  readonly message: string;
}

interface Finding {
  readonly Filename: string;
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Location: { readonly Path: readonly [string, string, ...unknown[]] };
}

type TemplateJson = { readonly Resources: Readonly<Record<string, { readonly Type: string }>> };

/**
 * Lints templates, and returns the findings in each. cfn-lint takes seconds for a large one and one to start, so each core
 * has one that lints its share. Templates that are the same are linted once.
 */
export async function lint(
  templates: readonly TemplateJson[],
): Promise<ReadonlyMap<TemplateJson, readonly Found[]>> {
  const directory = mkdtempSync(join(tmpdir(), "plat-templates-"));
  try {
    const named = templates.map((template) => {
      const json = JSON.stringify(template);
      const file = join(directory, `${createHash("sha256").update(json).digest("hex")}.json`);
      writeFileSync(file, json);
      return { template, file };
    });
    const sizes = new Map(
      named.map(({ template, file }) => [file, Object.keys(template.Resources).length]),
    );
    const findings = (await Promise.all(batches(sizes).map(findingsIn))).flat();
    return new Map(
      named.map(({ template, file }) => [
        template,
        findings
          .filter(({ Filename }) => Filename === file)
          .map(({ Rule, Message, Location }) => ({
            rule: Rule.Id,
            at: String(template.Resources[Location.Path[1]]?.Type),
            message: Message,
          })),
      ]),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Divides files among the cores so that all end at about the same time; each next largest goes where there is least. */
function batches(sizes: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const cores = Array.from({ length: Math.min(availableParallelism(), sizes.size) }, () => ({
    files: [] as string[],
    size: 0,
  }));
  for (const [file, size] of [...sizes].sort(([, a], [, b]) => b - a)) {
    const least = cores.reduce((one, other) => (other.size < one.size ? other : one));
    least.files.push(file);
    least.size += size;
  }
  return cores.map(({ files }) => files);
}

async function findingsIn(files: readonly string[]): Promise<readonly Finding[]> {
  const { stdout, stderr } = spawn(pythonProgram("cfn-lint"), ["--format", "json", ...files], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  // It exits with a code of its own if it finds something, so its output decides.
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  if (out.trim() === "") throw new Error(err);
  return JSON.parse(out);
}
