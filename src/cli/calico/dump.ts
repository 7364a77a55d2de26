import type * as v from "valibot";
import { isManifest } from "../../api/http/choose-manifest.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked, cut, isRecord } from "../../api/schema/schema.ts";
import { documentsOf } from "../import/dump.ts";
import { usageErrors } from "../shell/exit.ts";
import { isDatastoreExport, resourcesInExport } from "./datastore-export.ts";
import {
  type DumpedAffinity,
  type DumpedBlock,
  type DumpedConfig,
  type DumpedHandle,
  type DumpedPool,
  type DumpedReservation,
  dumpedAffinity,
  dumpedBlock,
  dumpedConfig,
  dumpedHandle,
  dumpedPool,
  dumpedReservation,
  type Labelled,
  labelled,
} from "./resources.ts";

/** The resources of a dump, by kind. */
export interface Dump {
  readonly pools: DumpedPool[];
  readonly reservations: DumpedReservation[];
  readonly configs: DumpedConfig[];
  readonly nodes: Labelled[];
  readonly namespaces: Labelled[];
  readonly blocks: DumpedBlock[];
  readonly affinities: DumpedAffinity[];
  readonly handles: DumpedHandle[];
  /** The number of resources of each kind that is not imported. */
  readonly ignored: Map<string, number>;
}

const CALICO = /^(crd\.projectcalico\.org\/v1|projectcalico\.org\/v3)$/;

/**
 * Reads the texts of a dump, each under the name of its file. Errors: every difference from the format that Calico
 * writes.
 */
export function readDump(texts: ReadonlyMap<string, string>): Dump {
  const dump: Dump = {
    pools: [],
    reservations: [],
    configs: [],
    nodes: [],
    namespaces: [],
    blocks: [],
    affinities: [],
    handles: [],
    ignored: new Map(),
  };
  const problems: string[] = [];
  for (const [file, text] of texts)
    for (const document of documentsOf(file, text))
      for (const item of isDatastoreExport(document)
        ? resourcesInExport(file, document)
        : [document]) {
        const problem = take(dump, item);
        if (problem !== undefined) problems.push(`${file}: ${problem}`);
      }
  if (problems.length > 0) throw usageErrors(problems);
  return dump;
}

/** Adds a resource to the dump, or returns its error. */
function take(dump: Dump, item: unknown): string | undefined {
  if (!isManifest(item))
    return `${isRecord(item) ? `an object of ${cut(Object.keys(item).join(", "))}` : cut(String(item))} is no resource: it has no kind`;
  const kind = String(item.kind);
  const taking = CALICO.test(String(item.apiVersion))
    ? calicoKind(dump, kind)
    : item.apiVersion === "v1"
      ? kubernetesKind(dump, kind)
      : undefined;
  if (!taking) {
    dump.ignored.set(cut(kind), (dump.ignored.get(cut(kind)) ?? 0) + 1);
    return undefined;
  }
  return taking(item);
}

type Taking = (item: Record<string, unknown>) => string | undefined;

function calicoKind(dump: Dump, kind: string): Taking | undefined {
  if (kind === "IPPool") return into(dump.pools, dumpedPool);
  if (kind === "IPReservation") return into(dump.reservations, dumpedReservation);
  if (kind === "IPAMConfig" || kind === "IPAMConfiguration")
    return into(dump.configs, dumpedConfig);
  if (kind === "IPAMBlock") return into(dump.blocks, dumpedBlock);
  if (kind === "BlockAffinity") return into(dump.affinities, dumpedAffinity);
  if (kind === "IPAMHandle") return into(dump.handles, dumpedHandle);
  return kind === "Node" ? into(dump.nodes, labelled) : undefined;
}

function kubernetesKind(dump: Dump, kind: string): Taking | undefined {
  if (kind === "Node") return into(dump.nodes, labelled);
  return kind === "Namespace" ? into(dump.namespaces, labelled) : undefined;
}

const into =
  <Schema extends v.GenericSchema>(list: v.InferOutput<Schema>[], schema: Schema): Taking =>
  (item) => {
    const value = orProblem(() => checked(schema, item));
    if (value instanceof Problem) return `${item.kind} ${nameOf(item)}: ${value.detail}`;
    list.push(value);
    return undefined;
  };

function nameOf({ metadata, spec }: Record<string, unknown>): string {
  for (const [part, field] of [
    [metadata, "name"],
    [spec, "cidr"],
    [spec, "handleID"],
  ] as const)
    if (isRecord(part) && typeof part[field] === "string") return cut(part[field]);
  return "without a name";
}
