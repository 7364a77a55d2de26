import type { PageWanted } from "../../base/listed.ts";
import type { CorruptItemError, Outcome } from "../../base/outcome.ts";
import { placesFrom } from "../../kernel/items/full-block.ts";
import type { Places } from "../../kernel/values/full-block.ts";
import { type HostId, hostName } from "../../kernel/values/host.ts";
import { absent, equals } from "../../table/clause.ts";
import { codec, id, labels, number, revised, under, withItem } from "../../table/codec.ts";
import { pageOf, readEach, readOrNot } from "../../table/format.ts";
import {
  BORROWED_BLOCK_PREFIX,
  hostIn,
  hostPk,
  NODE_SK,
  nodeEntryKey,
  nodeKey,
  nodesPk,
  spaceAndName,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { assertNode, assertNodeEntry, type Node, type NodeEntry } from "./node.ts";

/**
 * The calls for nodes, each in the partition of its host, and for the register of nodes that lists
 * read. Each method is one call to the database.
 */
export function nodeItems(table: Table) {
  const nodes = revised(table, NODE);
  return {
    /**
     * Returns every affinity of a host, of both families, its hints and its node: the items that
     * sort before its borrowed blocks.
     */
    async readHost(
      space: string,
      host: HostId,
    ): Promise<
      Places & {
        /**
         * The node. An unreadable one is an error value, so only callers that need the node fail.
         */
        readonly node: Node | CorruptItemError | undefined;
      }
    > {
      const items = await table.query(hostPk(space, host), { before: BORROWED_BLOCK_PREFIX });
      const item = items.find(({ sk }) => sk === NODE_SK);
      return {
        ...placesFrom(items),
        node: item && readOrNot(item, nodeFrom),
      };
    },

    /** Returns a node, if there is one. @throws {CorruptItemError} */
    async readNode(space: string, name: string): Promise<Node | undefined> {
      const item = await table.get(nodeKey(space, name));
      return item && nodeFrom(item);
    },

    createNode: (node: Node) => nodes.create("create-node", "node-absent", node),
    changeNode: (seen: Node, next: Node) => nodes.change("change-node", seen, next),

    deleteNode: (seen: Node): Promise<Outcome<unknown>> => nodes.remove("delete-node", seen),

    /**
     * Returns the first `limit` entries of the register, or those after a name. The answer names
     * unreadable ones beside the others.
     */
    async listNodeEntries(space: string, wanted: PageWanted<string>) {
      const { items, next } = await pageOf(table, nodesPk(space), wanted);
      return { ...readEach(items, nodeEntryFrom), next };
    },

    /**
     * Enters a node in the register before its creation. It replaces the entry of an earlier node
     * of the name.
     */
    async enterNode(entry: NodeEntry): Promise<Outcome<unknown>> {
      const item = NODE_ENTRY.item(entry);
      const change = { kind: "put", item } as const;
      return withItem(
        await table.write({ step: "enter-node", key: item, when: [], change }),
        nodeEntryFrom,
      );
    },

    /** Creates the missing entry of a node. */
    async restoreNodeEntry(entry: NodeEntry): Promise<void> {
      const item = NODE_ENTRY.item(entry);
      const when = [absent("restore-entry-absent", "pk")];
      await table.write({
        step: "restore-entry",
        key: item,
        when,
        change: { kind: "put", item },
      });
    },

    /**
     * Deletes an entry unless another node of the name was entered meanwhile. `step` names the step
     * of the protocol.
     */
    async deleteNodeEntry(
      step: string,
      { space, name, id }: Pick<NodeEntry, "space" | "name" | "id">,
    ): Promise<void> {
      const when = [equals(`${step}-id`, id, "id")];
      await table.write({ step, key: nodeEntryKey(space, name), when, change: { kind: "delete" } });
    },
  };
}

const NODE = codec<Node, "space" | "name">({
  key: ({ space, name }) => nodeKey(space, name),
  named: (key) => {
    const { space, host } = hostIn(key);
    return { space, name: hostName(host) };
  },
  attributes: { id, labels, revision: id },
  assert: assertNode,
});
export const nodeFrom = NODE.from;

const NODE_ENTRY = codec<NodeEntry, "space" | "name">({
  key: ({ space, name }) => nodeEntryKey(space, name),
  named: spaceAndName,
  attributes: { id, atMs: under("at", number) },
  assert: assertNodeEntry,
});
export const nodeEntryFrom = NODE_ENTRY.from;
