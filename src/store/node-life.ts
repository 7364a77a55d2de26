import type { NodeLife } from "../domain/judge-node.ts";
import type { Machine } from "../domain/machine.ts";
import {
  assertNodeReport,
  assertSignOfLife,
  type NodeReport,
  type SignOfLife,
} from "../domain/node-report.ts";
import type { Outcome } from "../domain/outcome.ts";
import { shardOfSpace } from "../domain/shard.ts";
import {
  assertTombstone,
  type DueTombstone,
  ENDED_BY,
  TOMBSTONE_STATES,
  type Tombstone,
  type TombstoneNamed,
} from "../domain/tombstone.ts";
import { flagOf, idOf, numberOf, oneOf, textOf, textsOf } from "./attribute.ts";
import { equals } from "./clause.ts";
import { dueShard, TABLE } from "./definition.ts";
import { reading } from "./format.ts";
import type { Item, Key } from "./item.ts";
import {
  AFTER_CILIUM,
  GONE_PREFIX,
  machineKey,
  machinePk,
  nodeLifePk,
  reportKey,
  SEEN_SK,
  STATUS_SK,
  signOfLifeKey,
  tombstoneKey,
  unescaped,
} from "./key.ts";
import { revised } from "./revised-writes.ts";
import type { DueKey, Table } from "./table.ts";

/**
 * The calls for what clusters say of nodes: reports, signs of life, tombstones and machines. Each
 * method is one call to the database.
 */
export function nodeLifeItems(table: Table) {
  const reports = revised(table, reportItem, nodeReportFrom);
  const tombstones = revised(table, tombstoneItem, tombstoneFrom);
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

    async deleteReport(seen: NodeReport): Promise<Outcome<unknown>> {
      const when = [equals("delete-report-rev", seen.revision, "revision")];
      const key = reportKey(seen.space, seen.name);
      return table.write({ step: "delete-report", key, when, change: { kind: "delete" } });
    },

    async readSignOfLife(space: string, name: string): Promise<SignOfLife | undefined> {
      const item = await table.get(signOfLifeKey(space, name));
      return item && signOfLifeFrom(item);
    },

    /** Writes a sign of life without a condition, because it is a hint. */
    async putSignOfLife(sign: SignOfLife): Promise<void> {
      const item = signOfLifeItem(sign);
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

    async deleteTombstone(step: string, seen: Tombstone): Promise<Outcome<unknown>> {
      const when = [equals(`${step}-rev`, seen.revision, "revision")];
      const key = tombstoneKey(seen.space, seen.name, seen.uid);
      return table.write({ step, key, when, change: { kind: "delete" } });
    },

    /** Returns the due tombstones of a shard, the earliest first. The index only suggests. */
    async dueTombstones(
      shard: number,
      page: { readonly untilMs: number; readonly limit: number },
    ): Promise<readonly DueTombstone[]> {
      return (await table.due(dueShard(shard), page)).filter(isTombstone).map(dueTombstoneFrom);
    },

    /** Returns the nodes that ran on a machine, of all spaces. */
    async listMachine(id: string): Promise<readonly Machine[]> {
      return (await table.query(machinePk(id))).map(machineFrom);
    },

    /** Writes that a node runs on a machine. The key says all, so the write needs no condition. */
    async putMachine(machine: Machine): Promise<void> {
      const item: Item = { ...machineKey(machine) };
      await table.write({ step: "machine", key: item, when: [], change: { kind: "put", item } });
    },

    async deleteMachine(machine: Machine): Promise<void> {
      const key = machineKey(machine);
      await table.write({ step: "leave-machine", key, when: [], change: { kind: "delete" } });
    },
  };
}

/** Returns the space and the name of the node in a key. */
export const nodeOfKey = ({ pk }: Key): Pick<NodeReport, "space" | "name"> => {
  const [, space = "", name = ""] = pk.split("#").map(unescaped);
  return { space, name };
};

function reportItem(report: NodeReport): Item {
  assertNodeReport(report);
  const { space, name, reason, machine, heartbeat } = report;
  return {
    ...reportKey(space, name),
    uid: report.uid,
    rv: report.resourceVersion,
    created: report.createdAtMs,
    ...(report.podCidrs.length > 0 && { podCidrs: report.podCidrs }),
    // A list of texts, because the client decides by the keys of a map how to marshall it.
    conditions: report.conditions.map(([type, status]) => `${type}=${status}`),
    ...(reason !== undefined && { reason }),
    unschedulable: report.isUnschedulable,
    zone: report.zone,
    excluded: report.isExcluded,
    ...(machine !== undefined && { machine }),
    ...(heartbeat !== undefined && { heartbeat }),
    seen: report.seenAtMs,
    registering: report.isRegistering,
    ...(report.annotations.length > 0 && {
      annotations: report.annotations.map(([key, value]) => `${key}=${value}`),
    }),
    revision: report.revision,
  };
}

export const nodeReportFrom = reading((item: Item): NodeReport => {
  return {
    ...nodeOfKey(item),
    uid: idOf(item, "uid"),
    resourceVersion: idOf(item, "rv"),
    createdAtMs: numberOf(item, "created"),
    podCidrs: item.podCidrs === undefined ? [] : textsOf(item, "podCidrs"),
    conditions: textsOf(item, "conditions").map(pairOf),
    ...(item.reason !== undefined && { reason: textOf(item, "reason") }),
    isUnschedulable: flagOf(item, "unschedulable"),
    zone: textOf(item, "zone"),
    isExcluded: flagOf(item, "excluded"),
    ...(item.machine !== undefined && { machine: textOf(item, "machine") }),
    ...(item.heartbeat !== undefined && { heartbeat: textOf(item, "heartbeat") }),
    seenAtMs: numberOf(item, "seen"),
    isRegistering: flagOf(item, "registering"),
    annotations: item.annotations === undefined ? [] : textsOf(item, "annotations").map(pairOf),
    revision: idOf(item, "revision"),
  };
}, assertNodeReport);

/** Reads a pair from a text such as `Ready=True`. The second part has no `=`. */
function pairOf(text: string): readonly [string, string] {
  const end = text.lastIndexOf("=");
  return [text.slice(0, end), text.slice(end + 1)];
}

function signOfLifeItem(sign: SignOfLife): Item {
  assertSignOfLife(sign);
  const { space, name, renewedAt, seenAtMs } = sign;
  return { ...signOfLifeKey(space, name), renewed: renewedAt, seen: seenAtMs };
}

export const signOfLifeFrom = reading(
  (item: Item): SignOfLife => ({
    ...nodeOfKey(item),
    renewedAt: textOf(item, "renewed"),
    seenAtMs: numberOf(item, "seen"),
  }),
  assertSignOfLife,
);

function tombstoneItem(tombstone: Tombstone): Item {
  assertTombstone(tombstone);
  const { space, name, uid, by, state, revision } = tombstone;
  return {
    ...tombstoneKey(space, name, uid),
    rv: tombstone.resourceVersion,
    created: tombstone.createdAtMs,
    by,
    state,
    since: tombstone.sinceMs,
    revision,
    // All tombstones of a space are in one shard, so that one run sees all that ended at once.
    [TABLE.dueIndex.partitionKey]: dueShard(shardOfSpace(space)),
    [TABLE.dueIndex.sortKey]: tombstone.dueAtMs,
  };
}

/** Returns the uid in a key after its prefix. */
export const uidOfKey = ({ sk }: Key, prefix: string): string => unescaped(sk.slice(prefix.length));

const tombstoneNamed = (key: Key): TombstoneNamed => ({
  ...nodeOfKey(key),
  uid: uidOfKey(key, GONE_PREFIX),
});

/** Returns true for the key of a tombstone, which shares the due index with allocations. */
export const isTombstone = ({ sk }: Key): boolean => sk.startsWith(GONE_PREFIX);

export const dueTombstoneFrom = (key: DueKey): DueTombstone => ({
  tombstone: tombstoneNamed(key),
  dueAtMs: key.dueAtMs,
});

export const tombstoneFrom = reading((item: Item): Tombstone => {
  return {
    ...tombstoneNamed(item),
    resourceVersion: idOf(item, "rv"),
    createdAtMs: numberOf(item, "created"),
    by: oneOf(item, "by", ENDED_BY),
    state: oneOf(item, "state", TOMBSTONE_STATES),
    sinceMs: numberOf(item, "since"),
    dueAtMs: numberOf(item, TABLE.dueIndex.sortKey),
    revision: idOf(item, "revision"),
  };
}, assertTombstone);

export const machineFrom = reading(({ pk, sk }: Item): Machine => {
  const [, id = ""] = pk.split("#").map(unescaped);
  const [space = "", name = "", uid = ""] = sk.split("#").map(unescaped);
  return { id, space, name, uid };
});
