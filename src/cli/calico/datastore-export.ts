import { isRecord } from "../../api/schema/schema.ts";
import { usageError } from "../shell/exit.ts";

/**
 * The state of IPAM as `calicoctl datastore migrate export` prints it: keys of the datastore with their values, in four lists.
 * Part of a resource's spec is in its key there.
 */

const BLOCK_KEY = /^\/?calico\/ipam\/v2\/(host|virtual)\/([^/]+)\/ipv[46]\/block\/([^/]+)$/;
const HANDLE_KEY = /^\/?calico\/ipam\/v2\/handle\/(.+)$/;
const LISTS = ["blocks", "block_affinities", "handles"];

/** Returns true for a document without a kind that has the lists of an export. */
export const isDatastoreExport = (document: unknown): document is Record<string, unknown> =>
  isRecord(document) &&
  !Object.hasOwn(document, "kind") &&
  [...LISTS, "config"].some((name) => Object.hasOwn(document, name));

/** Turns an export into resources, which are then parsed like any others. Errors: an entry without a valid key. */
export function resourcesInExport(file: string, document: Record<string, unknown>): unknown[] {
  const entries = (name: string) => {
    const list = document[name] ?? [];
    if (!Array.isArray(list) || !list.every(isEntry))
      throw usageError(`${file}: ${name} must be an array of entries with Key and Value.`);
    return list;
  };
  const keyOf = (key: string, pattern: RegExp) => {
    const match = pattern.exec(key);
    if (match) return match;
    throw usageError(`${file}: ${JSON.stringify(key.slice(0, 200))} is no key of Calico's IPAM.`);
  };
  return [
    ...entries("blocks").map(({ Value }) => resource("IPAMBlock", Value)),
    ...entries("block_affinities").map(({ Key, Value }) => {
      const [, type, node, cidr = ""] = keyOf(Key, BLOCK_KEY);
      return resource("BlockAffinity", { ...Value, type, node, cidr: cidr.replace("-", "/") });
    }),
    ...entries("handles").map(({ Key, Value }) => {
      const [, handleID] = keyOf(Key, HANDLE_KEY);
      return resource("IPAMHandle", { ...Value, handleID });
    }),
    ...configOf(document.config),
  ];
}

function configOf(config: unknown): unknown[] {
  if (!isEntry(config)) return [];
  const { strict_affinity, auto_allocate_blocks, ...value } = config.Value;
  // The export leaves out fields that are false.
  return [
    resource("IPAMConfig", {
      ...value,
      strictAffinity: strict_affinity ?? false,
      autoAllocateBlocks: auto_allocate_blocks ?? false,
    }),
  ];
}

const resource = (kind: string, spec: object) => ({
  apiVersion: "crd.projectcalico.org/v1",
  kind,
  spec,
});

interface Entry {
  readonly Key: string;
  readonly Value: Record<string, unknown>;
}

const isEntry = (entry: unknown): entry is Entry =>
  isRecord(entry) && typeof entry.Key === "string" && isRecord(entry.Value);
