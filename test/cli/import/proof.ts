import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../../src/kernel/core/context.ts";
import { checkTable } from "../../../src/nouns/contents/operations/check-table.ts";
import { clusterOf, listText, type Resource } from "../cluster.ts";
import { normalised } from "../normalised.ts";
import type { Ended } from "../terminal.ts";

export interface Proof {
  /** The violations; empty if all is well. */
  readonly failures: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
}

/**
 * Imports a generated cluster through the command, and checks the result. It makes a dry run that writes nothing, the
 * import, and an export that is equal to the input. Then a second import changes nothing, and a check has no findings.
 *
 * @param plat runs a command line with a text on its stdin
 */
export async function proveImport(
  { nodes, addresses }: { readonly nodes: number; readonly addresses: number },
  context: Context,
  plat: (stdin: string, ...args: readonly string[]) => Promise<Ended>,
): Promise<Proof> {
  const cluster = clusterOf(nodes, addresses);
  const dump = listText(cluster);
  const failures: string[] = [];
  const seconds: Record<string, number> = {};
  const step = async (name: string, ...args: readonly string[]) => {
    const startedAtMs = performance.now();
    const ended = await plat(dump, ...args, "-o", "json");
    seconds[name] = (performance.now() - startedAtMs) / 1000;
    if (ended.exit !== 0) failures.push(`the ${name} ends with ${ended.exit}: ${ended.err}`);
    return ended;
  };
  const taken = async () => (await checkTable(context)).counts;
  const before = await taken();

  const dryRunOf = await step("dry run", "import", "calico", "-f", "-", "--dry-run");
  const { create } = JSON.parse(dryRunOf.out).counts.addresses;
  if (create !== addresses) failures.push(`the dry run tells of ${create} addresses`);
  if (!isDeepStrictEqual(await taken(), before)) failures.push("the dry run has written");

  await step("import", "import", "calico", "-f", "-");
  const { violations, counts } = await checkTable(context);
  failures.push(...violations.map(({ invariant, message }) => `${invariant}: ${message}`));
  if (counts.taken !== addresses) failures.push(`${counts.taken} addresses are taken`);

  const exported = await step("export", "export", "calico");
  const items: readonly Resource[] = JSON.parse(exported.out).items;
  failures.push(...differences("", normalised(items), normalised(cluster)).slice(0, 10));

  const again = await step("second import", "import", "calico", "-f", "-");
  if (!again.err.includes("everything exists already"))
    failures.push(`the second import: ${again.out}`);
  if (!isDeepStrictEqual(await taken(), counts)) failures.push("the second import has written");

  const checked = await step("check", "check");
  const { problems, untidy, counts: found } = JSON.parse(checked.out);
  failures.push(...[...problems, ...untidy].map(({ message }) => `the check tells: ${message}`));
  if (found.assigned !== addresses) failures.push(`the check counts ${found.assigned} addresses`);
  return { failures, seconds };
}

/** Lists the differences of two values, each by the path to it. */
function differences(path: string, has: unknown, desired: unknown): string[] {
  if (isDeepStrictEqual(has, desired)) return [];
  const [a, b] = [entriesOf(has), entriesOf(desired)];
  if (!a || !b)
    return [`${path} is ${JSON.stringify(has)}, and came in as ${JSON.stringify(desired)}`];
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].flatMap((key) => differences(`${path}/${key}`, a.get(key), b.get(key)));
}

const entriesOf = (value: unknown) =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
