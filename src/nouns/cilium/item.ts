import type { Outcome } from "../../base/outcome.ts";
import { nodeReportFrom, tombstoneFrom } from "../../kernel/items/node-life.ts";
import { FAMILIES, type Family } from "../../net/address.ts";
import {
  type Codec,
  codec,
  type Form,
  flag,
  id,
  json,
  number,
  optional,
  revised,
  someOf,
  textAmong,
  under,
  via,
} from "../../table/codec.ts";
import {
  CILIUM_PREFIX,
  ciliumReportKey,
  GONE_PREFIX,
  nameIn,
  nodeIn,
  nodeLifePk,
  STATUS_SK,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { CILIUM_MODES } from "./object.ts";
import {
  assertCiliumMemory,
  assertCiliumReport,
  type CiliumMemory,
  type CiliumReport,
  type NodeObjects,
} from "./report.ts";

/** The calls for what clusters say of CiliumNodes. Each method is one call to the database. */
export function ciliumReportItems(table: Table) {
  const reports = revised(table, CILIUM_REPORT);
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

    deleteCiliumReport: (step: string, seen: CiliumReport): Promise<Outcome<unknown>> =>
      reports.remove(step, seen),
  };
}

/** The families that a node needs, in the order of `FAMILIES`. */
const families: Form<readonly Family[]> = via(
  someOf<Family>(),
  (families) => families,
  (stored) => FAMILIES.filter((family) => stored.includes(family)),
);

/** A report as its item has it: with its memory in one attribute. */
interface Stored extends Omit<CiliumReport, keyof CiliumMemory> {
  readonly memory: CiliumMemory;
}

const STORED = codec<Stored, "space" | "name" | "uid">({
  key: ({ space, name, uid }) => ciliumReportKey(space, name, uid),
  named: (key) => ({ ...nodeIn(key), uid: nameIn(key) }),
  attributes: {
    mode: textAmong(CILIUM_MODES),
    families: optional(families),
    releaseAfterSeconds: under("releaseAfter", optional(number)),
    withdrawAfterSeconds: under("withdrawAfter", number),
    resourceVersion: under("rv", id),
    object: json(),
    memory: json(),
    seenAtMs: under("seen", number),
    isEnding: under("ending", flag),
    revision: id,
  },
  assert({ memory, ...rest }) {
    assertCiliumMemory(memory);
    assertCiliumReport({ ...rest, ...memory });
  },
});

const CILIUM_REPORT: Codec<CiliumReport> = {
  key: ({ space, name, uid }) => ciliumReportKey(space, name, uid),
  item: ({ entries, excessSinceMs, excessTimesMs, ...rest }) =>
    STORED.item({
      ...rest,
      memory: { entries, excessSinceMs, ...(excessTimesMs && { excessTimesMs }) },
    }),
  from(item) {
    const { memory, ...rest } = STORED.from(item);
    return { ...rest, ...memory };
  },
};
export const ciliumReportFrom = CILIUM_REPORT.from;
