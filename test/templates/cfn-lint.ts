import { execFile } from "node:child_process";
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
 * Lints templates, and returns the findings in each. cfn-lint takes seconds for a large one, so all cores share them, and
 * templates that are the same are linted once.
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
    // The largest first, so that the cores end at about the same time.
    const sizes = new Map(
      named.map(({ template, file }) => [file, Object.keys(template.Resources).length]),
    );
    const waiting = [...sizes.keys()].sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0));
    const findings = new Map<string, readonly Finding[]>();
    const worker = async () => {
      for (let file = waiting.pop(); file; file = waiting.pop())
        findings.set(file, await findingsIn(file));
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    return new Map(
      named.map(({ template, file }) => [
        template,
        (findings.get(file) ?? []).map(({ Rule, Message, Location }) => ({
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

async function findingsIn(file: string): Promise<readonly Finding[]> {
  const { stdout, stderr } = execFile(pythonProgram("cfn-lint"), ["--format", "json", file]);
  if (!stdout || !stderr) throw new Error("cfn-lint has no output");
  // It exits with a code of its own if it finds something, so its output decides.
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  if (out.trim() === "") throw new Error(err);
  return JSON.parse(out);
}
