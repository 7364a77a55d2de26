import { EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import type { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import {
  deleteResource,
  type Precondition,
  putResource,
  registerSpace,
  type Written,
} from "../../../kernel/core/written.ts";
import type { Namespace, NamespaceSpec } from "../../namespace/namespace.ts";
import type { LabelledWanted } from "./nodes.ts";

/** Registers a namespace, or changes an existing one if the precondition holds. */
export async function putNamespace(
  context: Context,
  space: string,
  name: string,
  spec: NamespaceSpec,
  precondition: Precondition,
): Promise<Written<Namespace> | Rejection> {
  const { store } = context;
  return putResource<Namespace>(context, { kind: "namespace", space, name }, precondition, {
    read: () => store.readNamespace(space, name),
    make: (_, revision) => ({ ...spec, space, name, revision }),
    async prepare() {
      await registerSpace(context, space);
      return undefined;
    },
    put: (next, seen) => (seen ? store.changeNamespace(seen, next) : store.createNamespace(next)),
    announce: () => announced(context, space, name),
    effectiveMsMax: EFFECTIVE_MS_MAX,
  });
}

/** Deletes a namespace if the precondition holds. Requests that name it are then matched as if it had no labels. */
export async function deleteNamespace(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  const { store } = context;
  return deleteResource<Namespace>({ kind: "namespace", space, name }, precondition, {
    read: () => store.readNamespace(space, name),
    remove: (seen) => store.deleteNamespace(seen),
    announce: () => announced(context, space, name),
  });
}

export async function readNamespace(
  context: Context,
  space: string,
  name: string,
): Promise<Namespace | Rejection> {
  return (await context.store.readNamespace(space, name)) ?? notFound(space, "namespace", name);
}

/** Returns a page of the namespaces of a space, in the order of their names. */
export async function listNamespaces(
  { store }: Context,
  { space, limit, after }: LabelledWanted,
): Promise<ListedPage<Namespace, string>> {
  return store.listNamespaces(space, { after, limit });
}

/**
 * Forgets the cached labels in this function, and returns when every function uses the change. As for nodes, the
 * configuration's version does not change.
 */
function announced(context: Context, space: string, name: string): number {
  forgetLabels(context, { space, namespace: name });
  return context.now() + EFFECTIVE_MS_MAX;
}
