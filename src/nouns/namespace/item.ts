import type { PageWanted } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import { textsOf } from "../../table/attribute.ts";
import { codec, type FlatForm, id, labels, revised } from "../../table/codec.ts";
import { pageOf, readEach } from "../../table/format.ts";
import { namespaceKey, namespacesPk, spaceAndName } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { assertNamespace, type DefaultPools, type Namespace } from "./namespace.ts";

/**
 * The calls for namespaces, which have the labels and the default pools of workloads. Each method is
 * one call to the database.
 */
export function namespaceItems(table: Table) {
  const namespaces = revised(table, NAMESPACE);
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

    deleteNamespace: (seen: Namespace): Promise<Outcome<unknown>> =>
      namespaces.remove("delete-namespace", seen),
  };
}

/** The default pools: one list, or one for each family. A family without pools has an empty one. */
const defaultPools: FlatForm<DefaultPools | undefined> = {
  isFlat: true,
  write: (pools) =>
    !pools
      ? {}
      : "length" in pools
        ? { defaultPools: pools }
        : { [IPV4]: pools[4], [IPV6]: pools[6] },
  read(item) {
    if (item.defaultPools !== undefined) return textsOf(item, "defaultPools");
    return item[IPV4] === undefined
      ? undefined
      : { 4: textsOf(item, IPV4), 6: textsOf(item, IPV6) };
  },
};
const [IPV4, IPV6] = ["ipv4DefaultPools", "ipv6DefaultPools"] as const;

const NAMESPACE = codec<Namespace, "space" | "name">({
  key: ({ space, name }) => namespaceKey(space, name),
  named: spaceAndName,
  attributes: { labels, defaultPools, revision: id },
  assert: assertNamespace,
});
export const namespaceFrom = NAMESPACE.from;
