import type { Namespace } from "../domain/namespace.ts";
import { type Outcome, Unreadable } from "../domain/outcome.ts";
import { equals } from "./clause.ts";
import { escaped, namespaceKey, namespacesPk, unescaped } from "./key.ts";
import { labelsFrom, labelsItem } from "./labels.ts";
import { legible } from "./legible.ts";
import { revised } from "./revised.ts";
import type { Item, Table } from "./table.ts";

/** Namespaces: the labels of those that workloads live in. Each method is one call. */
export function namespaceItems(table: Table) {
  const namespaces = revised(table, namespaceItem, namespaceFrom);
  return {
    /** @throws Unreadable */
    async readNamespace(space: string, name: string): Promise<Namespace | undefined> {
      const item = await table.get(namespaceKey(space, name));
      return item && readable(item);
    },

    /** The first so many of a space, or those after a name; one that cannot be read is passed over. */
    async listNamespaces(
      space: string,
      { after, limit }: { readonly after: string | undefined; readonly limit: number },
    ): Promise<{ readonly namespaces: readonly Namespace[]; readonly next: string | undefined }> {
      const page = { limit: limit + 1, ...(after !== undefined && { after: escaped(after) }) };
      const items = await table.query(namespacesPk(space), page);
      const last = items.length > limit ? items[limit - 1] : undefined;
      return {
        namespaces: legible(items.slice(0, limit), namespaceFrom),
        next: last && unescaped(last.sk),
      };
    },

    createNamespace: (namespace: Namespace) =>
      namespaces.create("create-namespace", "namespace-absent", namespace),
    changeNamespace: (seen: Namespace, next: Namespace) =>
      namespaces.change("change-namespace", seen, next),

    async deleteNamespace(seen: Namespace): Promise<Outcome<unknown>> {
      const when = [equals("delete-namespace-rev", seen.revision, "revision")];
      const key = namespaceKey(seen.space, seen.name);
      return table.write({ step: "delete-namespace", key, when, change: { kind: "delete" } });
    },
  };
}

function namespaceItem({ space, name, labels, revision }: Namespace): Item {
  return { ...namespaceKey(space, name), labels: labelsItem(labels), revision };
}

export function namespaceFrom(item: Item): Namespace {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const { sk, revision } = item;
  return { space, name: unescaped(sk), labels: labelsFrom(item), revision: revision as string };
}

function readable(item: Item): Namespace {
  try {
    return namespaceFrom(item);
  } catch (cause) {
    const name = unescaped(item.sk);
    throw new Unreadable(`the item of namespace ${name} cannot be read`, { cause });
  }
}
