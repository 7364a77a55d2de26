import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), "utf8");

const page = read("clients.md");

it.each([
  ["terraform/main.tf", "hcl"],
  ["ansible/address.yml", "yaml"],
  ["maas/address.sh", "sh tools"],
  ["proxmox/address.sh", "sh tools"],
])("docs/clients.md shows a part of %s as it is", (example, language) => {
  const [, after = ""] = page.split(`](examples/${example})`);
  const [, shown] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(after) ?? [];
  expect(read(`examples/${example}`)).toContain(shown ?? expect.unreachable("it shows none"));
});
