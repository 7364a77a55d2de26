import { shardOfSpace } from "../../base/hash.ts";
import type { Machine } from "../../base/machine.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { NodeLife } from "../../nouns/node/judge-node.ts";
import {
  assertNodeReport,
  assertSignOfLife,
  type MissingMark,
  type NodeReport,
  type SignOfLife,
} from "../../nouns/node/node-report.ts";
import {
  assertTombstone,
  type DueTombstone,
  ENDED_BY,
  TOMBSTONE_STATES,
  type Tombstone,
  type TombstoneNamed,
} from "../../nouns/node/tombstone.ts";
import { equals } from "../../table/clause.ts";
import {
  codec,
  type Form,
  flag,
  id,
  number,
  optional,
  record,
  revised,
  sparse,
  text,
  textAmong,
  texts,
  under,
  via,
} from "../../table/codec.ts";
import { dueShard, TABLE } from "../../table/definition.ts";
import type { Key } from "../../table/item.ts";
import {
  AFTER_CILIUM,
  GONE_PREFIX,
  machineKey,
  machinePk,
  nameIn,
  nodeIn,
  nodeLifePk,
  partsOf,
  reportKey,
  SEEN_SK,
  STATUS_SK,
  signOfLifeKey,
  tombstoneKey,
} from "../../table/key.ts";
import type { DueKey, Table } from "../../table/table.ts";

/**
 * The calls for what clusters say of nodes: reports, signs of life, tombstones and machines. Each
 * method is one call to the database.
 */
/** The pages of the due index that are read for tombstones, each of up to 1 MB. */
const DUE_PAGES_MAX = 16;

export function nodeLifeItems(table: Table) {
  const reports = revised(table, NODE_REPORT);
  const tombstones = revised(table, TOMBSTONE);
  return {
    /** Returns what is known of the Nodes of a name, without its CiliumNodes, which can be large. @throws {CorruptItemError} */
    async readNodeLife(
      space: string,
      name: string,
    ): Promise<NodeLife & { signOfLife: SignOfLife | undefined }> {
      const items = await table.query(nodeLifePk(space, name), { after: AFTER_CILIUM });
      const report = items.find(({ sk }) => sk === STATUS_SK);
      const seen = items.find(({ sk }) => sk === SEEN_SK);
      return {
        report: report && nodeReportFrom(report),
        signOfLife: seen && signOfLifeFrom(seen),
        tombstones: items.filter(({ sk }) => sk.startsWith(GONE_PREFIX)).map(tombstoneFrom),
      };
    },

    createReport: (report: NodeReport) => reports.create("create-report", "status-absent", report),
    changeReport: (step: string, seen: NodeReport, next: NodeReport) =>
      reports.change(step, seen, next),

    deleteReport: (seen: NodeReport): Promise<Outcome<unknown>> =>
      reports.remove("delete-report", seen),

    async readSignOfLife(space: string, name: string): Promise<SignOfLife | undefined> {
      const item = await table.get(signOfLifeKey(space, name));
      return item && signOfLifeFrom(item);
    },

    /** Writes a sign of life without a condition, because it is a hint. */
    async putSignOfLife(sign: SignOfLife): Promise<void> {
      const item = SIGN_OF_LIFE.item(sign);
      await table.write({
        step: "sign-of-life",
        key: item,
        when: [],
        change: { kind: "put", item },
      });
    },

    async deleteSignOfLife({ space, name, renewedAt }: SignOfLife): Promise<void> {
      const when = [equals("sign-of-life-same", renewedAt, "renewed")];
      const key = signOfLifeKey(space, name);
      await table.write({ step: "sign-of-life-old", key, when, change: { kind: "delete" } });
    },

    async readTombstone({ space, name, uid }: TombstoneNamed): Promise<Tombstone | undefined> {
      const item = await table.get(tombstoneKey(space, name, uid));
      return item && tombstoneFrom(item);
    },

    createTombstone: (tombstone: Tombstone) => tombstones.create("gone", "gone-absent", tombstone),
    changeTombstone: (step: string, seen: Tombstone, next: Tombstone) =>
      tombstones.change(step, seen, next),

    deleteTombstone: (step: string, seen: Tombstone): Promise<Outcome<unknown>> =>
      tombstones.remove(step, seen),

    /**
     * Returns the due tombstones of a shard, the earliest first. The index only suggests. It has due allocations too, so one page of it
     * may have none of many tombstones. More pages than a run has time for are left out.
     */
    async dueTombstones(
      shard: number,
      page: { readonly untilMs: number; readonly limit: number },
    ): Promise<{ readonly items: readonly DueTombstone[]; readonly isWhole: boolean }> {
      const items: DueTombstone[] = [];
      let after: DueKey | undefined;
      for (let pages = 0; pages < DUE_PAGES_MAX; pages++) {
        const keys = await table.due(dueShard(shard), { ...page, ...(after && { after }) });
        items.push(...keys.filter(isTombstone).map(dueTombstoneFrom));
        after = keys.at(-1);
        if (!after) return { items, isWhole: true };
      }
      return { items, isWhole: false };
    },

    /** Returns the nodes that ran on a machine, of all spaces. */
    async listMachine(id: string): Promise<readonly Machine[]> {
      return (await table.query(machinePk(id))).map(machineFrom);
    },

    /** Writes that a node runs on a machine. The key says all, so the write needs no condition. */
    async putMachine(machine: Machine): Promise<void> {
      const item = MACHINE.item(machine);
      await table.write({ step: "machine", key: item, when: [], change: { kind: "put", item } });
    },

    async deleteMachine(machine: Machine): Promise<void> {
      const key = machineKey(machine);
      await table.write({ step: "leave-machine", key, when: [], change: { kind: "delete" } });
    },
  };
}

/**
 * Pairs, as texts such as `Ready=True`. They are no map, because the client decides by a map's keys
 * how to marshall it.
 */
const pairs: Form<readonly (readonly [string, string])[]> = via(
  texts,
  (pairs) => pairs.map(([name, value]) => `${name}=${value}`),
  (stored) => stored.map(pairOf),
);

/** Reads a pair. The second part has no `=`. */
function pairOf(text: string): readonly [string, string] {
  const end = text.lastIndexOf("=");
  return [text.slice(0, end), text.slice(end + 1)];
}

const NODE_REPORT = codec<NodeReport, "space" | "name">({
  key: ({ space, name }) => reportKey(space, name),
  named: nodeIn,
  attributes: {
    uid: id,
    resourceVersion: under("rv", id),
    createdAtMs: under("created", number),
    cluster: optional(id),
    podCidrs: sparse(texts),
    conditions: pairs,
    reason: optional(text),
    isUnschedulable: under("unschedulable", flag),
    zone: text,
    isExcluded: under("excluded", flag),
    machine: optional(text),
    heartbeat: optional(text),
    seenAtMs: under("seen", number),
    isRegistering: under("registering", flag),
    annotations: sparse(pairs),
    missing: optional(
      record<MissingMark>({
        resourceVersion: under("rv", id),
        sinceMs: under("since", number),
      }),
    ),
    revision: id,
  },
  assert: assertNodeReport,
});
export const nodeReportFrom = NODE_REPORT.from;

const SIGN_OF_LIFE = codec<SignOfLife, "space" | "name">({
  key: ({ space, name }) => signOfLifeKey(space, name),
  named: nodeIn,
  attributes: { renewedAt: under("renewed", text), seenAtMs: under("seen", number) },
  assert: assertSignOfLife,
});
export const signOfLifeFrom = SIGN_OF_LIFE.from;

const tombstoneNamed = (key: Key): TombstoneNamed => ({ ...nodeIn(key), uid: nameIn(key) });

/** Returns true for the key of a tombstone, which shares the due index with allocations. */
export const isTombstone = ({ sk }: Key): boolean => sk.startsWith(GONE_PREFIX);

export const dueTombstoneFrom = (key: DueKey): DueTombstone => ({
  tombstone: tombstoneNamed(key),
  dueAtMs: key.dueAtMs,
});

const TOMBSTONE = codec<Tombstone, keyof TombstoneNamed>({
  key: ({ space, name, uid }) => tombstoneKey(space, name, uid),
  named: tombstoneNamed,
  attributes: {
    resourceVersion: under("rv", id),
    createdAtMs: under("created", number),
    by: textAmong(ENDED_BY),
    state: textAmong(TOMBSTONE_STATES),
    sinceMs: under("since", number),
    dueAtMs: under(TABLE.dueIndex.sortKey, number),
    revision: id,
  },
  // All tombstones of a space are in one shard, so that one run sees all that ended at once.
  beside: ({ space }) => ({ [TABLE.dueIndex.partitionKey]: dueShard(shardOfSpace(space)) }),
  assert: assertTombstone,
});
export const tombstoneFrom = TOMBSTONE.from;

/** The key of a machine says all. */
const MACHINE = codec<Machine, keyof Machine>({
  key: machineKey,
  named: ({ pk, sk }) => {
    const [, id = ""] = partsOf(pk);
    const [space = "", name = "", uid = ""] = partsOf(sk);
    return { id, space, name, uid };
  },
  attributes: {},
});
export const machineFrom = MACHINE.from;
