import {
  chooseManifest,
  isManifest,
  type ManifestsWanted,
  parseDocuments,
} from "../../../api/http/choose-manifest.ts";
import type { Event } from "../../../api/http/event.ts";
import { parseNamedWith, parseNamedWrite } from "../../../api/http/parameters.ts";
import { parseIfMatch } from "../../../api/http/write.ts";
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

export const parsePoolRelease = (event: Event) => parseNamedWith(event, poolReleaseQuery);

const IP_POOL: ManifestsWanted = {
  kinds: [{ kind: "IPPool", apiVersions: API_VERSIONS }, SPIDER_IPPOOL, SPIDER_SUBNET],
  of: RESOURCE,
};

/** Parses a pool as JSON, or as a manifest of Calico or Spiderpool in JSON or YAML. */
export function parsePoolPut(event: Event): PoolPut {
  const documents = parseDocuments(event);
  const chosen = chooseManifest(event, documents, IP_POOL);
  const read = parserOf(chosen.document);
  const document = read(chosen.document);
  const named = parseNamedWrite(event, document.name);
  const match = parseIfMatch(event);
  return { ...named, spec: document.spec, ...match, ignored: chosen.ignored };
}

function parserOf(document: unknown): (document: unknown) => PoolDocument {
  if (!isManifest(document)) return parsePool;
  if (document.kind === SPIDER_IPPOOL.kind) return parseSpiderIpPool;
  return document.kind === SPIDER_SUBNET.kind ? parseSpiderSubnet : parseIpPool;
}
