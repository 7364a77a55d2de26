import type { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Resolved, targetsOf } from "../../../selection/application-targets.ts";
import { noneUnread, type SpaceConfiguration } from "../../pool/configuration.ts";
import { narrows } from "../../pool/pool.ts";
import type { AddressesWanted, Application } from "../application.ts";

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
