import type { AddressesWanted, Application } from "../../domain/application.ts";
import { type Resolved, targetsOf } from "../../domain/application-targets.ts";
import type { Rejection } from "../../domain/outcome.ts";
import { narrows, noneUnread, type SpaceConfiguration } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";

/**
 * Returns the interfaces and families in which an application wants addresses, with the pools that it names. It reads the namespace
 * only if a pool selects namespaces by labels.
 *
 * @throws {CorruptItemError} if a pool cannot be read, because its set may have addresses of the others
 */
export async function resolveTargets(
  { store }: Context,
  configuration: SpaceConfiguration,
  { space, namespace }: Application,
  addresses: AddressesWanted,
): Promise<Resolved | Rejection> {
  noneUnread(configuration);
  const { pools } = configuration;
  const isAsked = pools.some(({ namespaceSelector }) => narrows(namespaceSelector));
  const found = isAsked ? await store.readNamespace(space, namespace) : undefined;
  return targetsOf(pools, addresses, {
    host: undefined,
    namespaceName: namespace,
    namespace: found?.labels,
  });
}
