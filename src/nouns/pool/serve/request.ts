import {
  chooseManifest,
  isManifest,
  type ManifestsWanted,
  readDocuments,
} from "../../../api/http/choose-manifest.ts";
import type { Event } from "../../../api/http/event.ts";
import { readNamedWith, readNamedWrite } from "../../../api/http/parameters.ts";
import { readIfMatch } from "../../../api/http/write.ts";
import { API_VERSIONS } from "../../../api/manifest.ts";
import { RESOURCE } from "../../../api/names.ts";
import type { Precondition } from "../../../kernel/core/written.ts";
import { parseIpPool } from "../contract/calico-ippool.ts";
import { type PoolDocument, parsePool, poolReleaseQuery } from "../contract/request.ts";
import { parseSpiderIpPool, SPIDER_IPPOOL } from "../contract/spider-ippool.ts";
import { parseSpiderSubnet, SPIDER_SUBNET } from "../contract/spider-subnet.ts";
import type { PoolSpec } from "../pool.ts";

export interface PoolPut {
  readonly space: string;
  readonly name: string;
  readonly spec: PoolSpec;
  readonly ifMatch: Precondition;
  readonly dryRun: boolean;
  /** The manifests of the body that are not applied. */
  readonly ignored: readonly string[];
}

export const readPoolRelease = (event: Event) => readNamedWith(event, poolReleaseQuery);

const IP_POOL: ManifestsWanted = {
  kinds: [{ kind: "IPPool", apiVersions: API_VERSIONS }, SPIDER_IPPOOL, SPIDER_SUBNET],
  of: RESOURCE,
};

/** Reads a pool as JSON, or as a manifest of Calico or Spiderpool in JSON or YAML. */
export function readPoolPut(event: Event): PoolPut {
  const documents = readDocuments(event);
  const chosen = chooseManifest(event, documents, IP_POOL);
  const read = readerOf(chosen.document);
  const document = read(chosen.document);
  const named = readNamedWrite(event, document.name);
  const match = readIfMatch(event);
  return { ...named, spec: document.spec, ...match, ignored: chosen.ignored };
}

function readerOf(document: unknown): (document: unknown) => PoolDocument {
  if (!isManifest(document)) return parsePool;
  if (document.kind === SPIDER_IPPOOL.kind) return parseSpiderIpPool;
  return document.kind === SPIDER_SUBNET.kind ? parseSpiderSubnet : parseIpPool;
}
