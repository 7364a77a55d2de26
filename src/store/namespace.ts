import type { PageWanted } from "../domain/listed.ts";
import { assertNamespace, type DefaultPools, type Namespace } from "../domain/namespace.ts";
import type { Outcome } from "../domain/outcome.ts";
import { idOf, textsOf } from "./attribute.ts";
import { equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { namespaceKey, namespacesPk, unescaped } from "./key.ts";
import { labelsFrom, labelsItem } from "./labels.ts";
import { pageOf, readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/**
 * The calls for namespaces, which have the labels and the default pools of workloads. Each method is
 * one call to the database.
 */
export function namespaceItems(table: Table) {
  const namespaces = revised(table, namespaceItem, namespaceFrom);
  return {
    /** Returns a namespace, if there is one. @throws {CorruptItemError} */
    async readNamespace(space: string, name: string): Promise<Namespace | undefined> {
      const item = await table.get(namespaceKey(space, name));
      return item && namespaceFrom(item);
    },

    /**
     * Returns the first `limit` namespaces of a space, or those after a name. The answer names
     * unreadable ones beside the others.
     */
    async listNamespaces(space: string, wanted: PageWanted<string>) {
      const { items, next } = await pageOf(table, namespacesPk(space), wanted);
      return { ...readEach(items, namespaceFrom), next };
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

function namespaceItem(namespace: Namespace): Item {
  assertNamespace(namespace);
  const { space, name, labels, defaultPools, revision } = namespace;
  return {
    ...namespaceKey(space, name),
    labels: labelsItem(labels),
    ...(defaultPools && defaultPoolsItem(defaultPools)),
    revision,
  };
}

export const namespaceFrom = reading((item: Item): Namespace => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const revision = idOf(item, "revision");
  return {
    space,
    name: unescaped(item.sk),
    labels: labelsFrom(item),
    ...defaultPoolsFrom(item),
    revision,
  };
}, assertNamespace);

/** The attribute of each family's list. A family without pools has an empty one. */
const [IPV4, IPV6] = ["ipv4DefaultPools", "ipv6DefaultPools"] as const;

const defaultPoolsItem = (pools: DefaultPools) =>
  "length" in pools ? { defaultPools: pools } : { [IPV4]: pools[4], [IPV6]: pools[6] };

function defaultPoolsFrom(item: Item): Pick<Namespace, "defaultPools"> {
  if (item.defaultPools !== undefined) return { defaultPools: textsOf(item, "defaultPools") };
  if (item[IPV4] === undefined) return {};
  return { defaultPools: { 4: textsOf(item, IPV4), 6: textsOf(item, IPV6) } };
}
