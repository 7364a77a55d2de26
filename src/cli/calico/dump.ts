import { cut, isRecord } from "../../api/schema/schema.ts";
import { objectsIn } from "../import/dump.ts";
import { isDatastoreExport, resourcesInExport } from "./datastore-export.ts";
import {
  dumpedAffinity,
  dumpedBlock,
  dumpedConfig,
  dumpedHandle,
  dumpedPool,
  dumpedReservation,
  labelled,
} from "./resources.ts";

const CALICO = /^(crd\.projectcalico\.org\/v1|projectcalico\.org\/v3)$/;
const KUBERNETES = /^v1$/;

const KINDS = {
  IPPool: { apiVersions: CALICO, schema: dumpedPool },
  IPReservation: { apiVersions: CALICO, schema: dumpedReservation },
  IPAMConfig: { apiVersions: CALICO, schema: dumpedConfig },
  IPAMConfiguration: { apiVersions: CALICO, schema: dumpedConfig },
  IPAMBlock: { apiVersions: CALICO, schema: dumpedBlock },
  BlockAffinity: { apiVersions: CALICO, schema: dumpedAffinity },
  IPAMHandle: { apiVersions: CALICO, schema: dumpedHandle },
  Node: { apiVersions: new RegExp(`${CALICO.source}|${KUBERNETES.source}`), schema: labelled },
  Namespace: { apiVersions: KUBERNETES, schema: labelled },
};

/** The resources of a dump, by kind, and a note for each kind that is not imported. */
export type Dump = ReturnType<typeof readDump>;

/**
 * Reads the texts of a dump, each under the name of its file. Errors: every difference from the format that Calico
 * writes.
 */
export function readDump(texts: ReadonlyMap<string, string>) {
  const { objects, notes } = objectsIn(texts, KINDS, {
    objectsOf: (file, document) =>
      isDatastoreExport(document) ? resourcesInExport(file, document) : [document],
    withoutKind: (file, value) =>
      `${file}: ${isRecord(value) ? `an object of ${cut(Object.keys(value).join(", "))}` : cut(String(value))} is no resource: it has no kind`,
  });
  return {
    pools: objects.IPPool,
    reservations: objects.IPReservation,
    configs: [...objects.IPAMConfig, ...objects.IPAMConfiguration],
    nodes: objects.Node,
    namespaces: objects.Namespace,
    blocks: objects.IPAMBlock,
    affinities: objects.BlockAffinity,
    handles: objects.IPAMHandle,
    notes,
  };
}
