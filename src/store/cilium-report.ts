import { FAMILIES } from "../domain/address.ts";
import { CILIUM_MODES, type CiliumObject } from "../domain/cilium-object.ts";
import {
  assertCiliumMemory,
  assertCiliumReport,
  type CiliumMemory,
  type CiliumReport,
} from "../domain/cilium-report.ts";
import type { NodeObjects } from "../domain/node-objects.ts";
import type { Outcome } from "../domain/outcome.ts";
import { flagOf, idOf, listOf, numberOf, oneOf, textOf } from "./attribute.ts";
import { equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { CILIUM_PREFIX, ciliumReportKey, GONE_PREFIX, nodeLifePk, STATUS_SK } from "./key.ts";
import { nodeOfKey, nodeReportFrom, tombstoneFrom, uidOfKey } from "./node-life.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/** The calls for what clusters say of CiliumNodes. Each method is one call to the database. */
export function ciliumReportItems(table: Table) {
  const reports = revised(table, ciliumReportItem, ciliumReportFrom);
  return {
    /** Returns what clusters say of a node's name, with its CiliumNodes. @throws {CorruptItemError} */
    async readNodeObjects(space: string, name: string): Promise<NodeObjects> {
      const items = await table.query(nodeLifePk(space, name));
      const report = items.find(({ sk }) => sk === STATUS_SK);
      const having = (prefix: string) => items.filter(({ sk }) => sk.startsWith(prefix));
      return {
        report: report && nodeReportFrom(report),
        tombstones: having(GONE_PREFIX).map(tombstoneFrom),
        ciliumReports: having(CILIUM_PREFIX).map(ciliumReportFrom),
      };
    },

    createCiliumReport: (report: CiliumReport) =>
      reports.create("create-cilium", "cilium-absent", report),
    changeCiliumReport: (step: string, seen: CiliumReport, next: CiliumReport) =>
      reports.change(step, seen, next),

    async deleteCiliumReport(step: string, seen: CiliumReport): Promise<Outcome<unknown>> {
      const when = [equals(`${step}-rev`, seen.revision, "revision")];
      const key = ciliumReportKey(seen.space, seen.name, seen.uid);
      return table.write({ step, key, when, change: { kind: "delete" } });
    },
  };
}

function ciliumReportItem(report: CiliumReport): Item {
  assertCiliumReport(report);
  const { space, name, uid, families, releaseAfterSeconds, entries, excessSinceMs } = report;
  return {
    ...ciliumReportKey(space, name, uid),
    mode: report.mode,
    ...(families && { families: [...families] }),
    ...(releaseAfterSeconds !== undefined && { releaseAfter: releaseAfterSeconds }),
    withdrawAfter: report.withdrawAfterSeconds,
    rv: report.resourceVersion,
    // As texts, because the client decides by the keys of a map how to marshall it.
    object: JSON.stringify(report.object),
    memory: JSON.stringify({ entries, excessSinceMs } satisfies CiliumMemory),
    seen: report.seenAtMs,
    ending: report.isEnding,
    revision: report.revision,
  };
}

export const ciliumReportFrom = reading((item: Item): CiliumReport => {
  const memory = JSON.parse(textOf(item, "memory")) as CiliumMemory;
  assertCiliumMemory(memory);
  const families = item.families === undefined ? undefined : listOf(item, "families");
  return {
    ...nodeOfKey(item),
    uid: uidOfKey(item, CILIUM_PREFIX),
    mode: oneOf(item, "mode", CILIUM_MODES),
    ...(families && { families: FAMILIES.filter((family) => families.includes(family)) }),
    ...(item.releaseAfter !== undefined && {
      releaseAfterSeconds: numberOf(item, "releaseAfter"),
    }),
    withdrawAfterSeconds: numberOf(item, "withdrawAfter"),
    resourceVersion: idOf(item, "rv"),
    object: JSON.parse(textOf(item, "object")) as CiliumObject,
    ...memory,
    seenAtMs: numberOf(item, "seen"),
    isEnding: flagOf(item, "ending"),
    revision: idOf(item, "revision"),
  };
}, assertCiliumReport);
