import { CONFIGURATION_FRESH_MS, CONFIGURATION_JITTER_MS } from "../../base/limits.ts";
import { CorruptItemError } from "../../base/outcome.ts";
import { namedPrincipal } from "../../base/principal.ts";
import type { Family } from "../../net/address.ts";
import type { Application, ApplicationName } from "../../nouns/application/application.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import {
  assignsPrefixes,
  hasHosts,
  isRanged,
  narrows,
  type Pool,
  serves,
} from "../../nouns/pool/pool.ts";
import { isMeant, poolsNamed } from "../../selection/acquire-pools.ts";
import type { Requester } from "../../selection/requester.ts";
import type { Context } from "../core/context.ts";
import { applicationCopy, hostCopy, namespaceCopy } from "../core/labels.ts";
import { awaitAll } from "../core/parallel.ts";
import type { Registered } from "../core/warm-cache.ts";
import type { Places } from "../values/full-block.ts";
import { type HostId, machineName } from "../values/host.ts";
import { eachWanted } from "./assignment.ts";
import { mustBeRegistered, type PoolRequest } from "./family-requests.ts";

/**
 * Returns the requester as pools see it: by the labels of the request, else by cached copies that are as old as one of the
 * configuration may be. It reads only labels that a pool of the space asks for, the namespace for its default pools, and the
 * application of a workload.
 * It reads nothing for a request that names pools without ranges, because no condition counts then (Calico 1.4), unless hosts must be
 * registered.
 */
export async function requesterOf(
  context: Context,
  request: PoolRequest,
  configuration: SpaceConfiguration,
): Promise<Requester> {
  const { space, host, namespace, hostLabels, namespaceLabels, labels, assignedBy } = request;
  const wanted = eachWanted(request);
  const judged = configuration.pools
    .filter((pool) => serves(pool) && assignsPrefixes(pool) === (request.prefixes !== undefined))
    .filter((pool) => mayBeJudged(pool, wanted));
  const isHostAsked =
    mustBeRegistered(request, configuration) || (!hostLabels && judged.some(asksForHostLabels));
  const isNamespaceAsked =
    hasOpenFamily(request) || (!namespaceLabels && judged.some(asksForNamespaceLabels));
  const [ofHost, ofNamespace, application] = await awaitAll(
    isHostAsked ? labelsOfHost(context, space, host) : hostLabels,
    isNamespaceAsked ? namespaceOfRequest(context, request) : undefined,
    request.workload && applicationOf(context, space, request.workload),
  );
  return {
    principal: assignedBy === undefined ? undefined : namedPrincipal(assignedBy),
    hostName: machineName(host),
    host: ofHost,
    namespaceName: namespace,
    namespace: namespaceLabels ?? ofNamespace?.labels,
    namespacePools: ofNamespace?.defaultPools,
    application: application?.state === "deleting" ? undefined : application,
    workload: labels,
  };
}

const asksForHostLabels = ({ nodeNames, nodeSelector }: Pool): boolean =>
  !nodeNames && narrows(nodeSelector);

const asksForNamespaceLabels = ({ namespaceNames, namespaceSelector }: Pool): boolean =>
  !namespaceNames && narrows(namespaceSelector);

/** Reads the namespace of a request, if it has one. */
export async function namespaceOfRequest(
  context: Context,
  { space, namespace }: PoolRequest,
): Promise<Registered | undefined> {
  if (namespace === undefined) return undefined;
  const read = () => context.store.readNamespace(space, namespace);
  return remembered(context, namespaceCopy(space, namespace), read);
}

/** Returns true if default pools may serve a family of the request. */
export const hasOpenFamily = (request: PoolRequest): boolean =>
  eachWanted(request).some(({ one, family }) => isOpen(one, family));

/** Returns true if a request names neither pools of a family nor an address. */
const isOpen = (request: PoolRequest, family: Family): boolean =>
  !request.addresses && !poolsNamed(request, family);

/** Returns true if the conditions of a pool may count for what a request wants. A wrong answer costs a read. */
const mayBeJudged = (
  pool: Pool,
  wanted: readonly { readonly one: PoolRequest; readonly family: Family }[],
): boolean =>
  wanted
    .filter(({ family }) => family === pool.cidr.family)
    .some(({ one, family }) => {
      if (isOpen(one, family)) return true;
      return isRanged(pool) && isMeant(pool, poolsNamed(one, family) ?? [pool.name]);
    });

/** Returns true if a pool in which the host can have blocks of its own may serve the request. A wrong answer costs a read. */
export function mayHaveBlocks(request: PoolRequest, { pools }: SpaceConfiguration): boolean {
  const lists = eachWanted(request).map(({ one, family }) => ({
    family,
    named: poolsNamed(one, family),
  }));
  const isAsked = (pool: Pool): boolean =>
    lists.some(
      ({ family, named }) => family === pool.cidr.family && isMeant(pool, named ?? [pool.name]),
    );
  return !request.prefixes && pools.some((pool) => hasHosts(pool) && isAsked(pool));
}

/** Reads the places of a host, and caches the labels that come with them. */
export async function placesOfHost(context: Context, space: string, host: HostId): Promise<Places> {
  const read = context.store.readHost(space, host);
  const registered = read.then(({ node }) => {
    if (node instanceof CorruptItemError) throw node;
    return node;
  });
  context.cache.registered.keep(hostCopy(space, host), registered, freshUntilMs(context));
  return read;
}

/** Reads the labels of a host. A virtual owner is no machine, so it is not registered and has none. */
async function labelsOfHost(context: Context, space: string, host: HostId) {
  const name = machineName(host);
  if (name === undefined) return undefined;
  const read = () => context.store.readNode(space, name);
  return (await remembered(context, hostCopy(space, host), read))?.labels;
}

/** Returns the application of a workload, by a copy that is as old as one of the configuration may be. */
async function applicationOf(
  context: Context,
  space: string,
  of: ApplicationName,
): Promise<Application | undefined> {
  const known = context.cache.applications.of(applicationCopy(space, of), context.now());
  return known ?? readApplicationAnew(context, space, of);
}

/** Reads the application of a workload into the cache. */
export function readApplicationAnew(
  context: Context,
  space: string,
  of: ApplicationName,
): Promise<Application | undefined> {
  const asked = context.store.readApplication(space, of);
  context.cache.applications.keep(applicationCopy(space, of), asked, freshUntilMs(context));
  return asked;
}

function remembered(
  context: Context,
  name: string,
  read: () => Promise<Registered | undefined>,
): Promise<Registered | undefined> {
  const { registered } = context.cache;
  const known = registered.of(name, context.now());
  if (known) return known;
  const asked = read();
  registered.keep(name, asked, freshUntilMs(context));
  return asked;
}

/** Returns the end of a copy's life: that of a copy of the configuration, because operators get the same promise for both. */
const freshUntilMs = (context: Context): number =>
  context.now() + CONFIGURATION_FRESH_MS + context.random.fraction() * CONFIGURATION_JITTER_MS;
