import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestOf } from "../../twin/fresh.ts";

it("templates are of exactly these sources: a change of content, of a name, a new file, one less make others", async () => {
  const root = await mkdtemp(join(tmpdir(), "plat-"));
  const file = (name: string) => join(root, name);
  await mkdir(file("src/kernel/values"), { recursive: true });
  await writeFile(file("src/kernel/values/block.ts"), "one");
  await writeFile(file("package-lock.json"), "{}");
  const contexts = ["cdk.json", "cdk.context.json"];
  const digests = [await digestOf(root, contexts)];
  const after = async (change: Promise<unknown>) => {
    await change;
    digests.push(await digestOf(root, contexts));
  };
  await after(writeFile(file("src/kernel/values/block.ts"), "two"));
  await after(rename(file("src/kernel/values/block.ts"), file("src/kernel/values/block-group.ts")));
  await after(writeFile(file("cdk.context.json"), "{}"));
  await after(writeFile(file("package-lock.json"), '{"a": 1}'));
  await after(rm(file("src/kernel/values/block-group.ts")));
  expect(new Set(digests).size).toBe(digests.length);

  await after(utimes(file("package-lock.json"), new Date(0), new Date(0)));
  await after(writeFile(file("README.md"), "no source"));
  expect(digests.at(-1)).toBe(digests.at(-3));
  await rm(root, { recursive: true });
});

it("the tests' templates are not of the context of a deployment", async () => {
  const root = await mkdtemp(join(tmpdir(), "plat-"));
  const before = await digestOf(root);
  await writeFile(join(root, "cdk.context.json"), "{}");
  expect(await digestOf(root)).toBe(before);
  await writeFile(join(root, "cdk.json"), "{}");
  expect(await digestOf(root)).not.toBe(before);
  await rm(root, { recursive: true });
});
