import { EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import type { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import {
  knownOutcome,
  type Precondition,
  registerSpace,
  unchanged,
  unmet,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
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
  const resource = { kind: "namespace", name };
  return compareAndSwap<Written<Namespace> | Rejection>(`the namespace ${name}`, async () => {
    const seen = await store.readNamespace(space, name);
    const revision = seen?.revision;
    const isSame = same(seen, { ...spec, space, name, revision });
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ ...resource, revision }, wanted);
    if (rejection) return answer(rejection);
    if (seen && isSame) return answer(unchanged(context, seen, seen.revision, EFFECTIVE_MS_MAX));
    await registerSpace(context, space);
    const next: Namespace = { space, name, ...spec, revision: fresh(context) };
    const put = await knownOutcome(
      seen ? store.changeNamespace(seen, next) : store.createNamespace(next),
    );
    if (put.outcome === "lost") return RETRY;
    return answer({ value: next, created: !seen, effectiveAtMs: announced(context, space, name) });
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
  const resource = { kind: "namespace", name };
  return compareAndSwap<Written<undefined> | Rejection>(`the namespace ${name}`, async () => {
    const seen = await store.readNamespace(space, name);
    if (!seen) return answer(notFound(space, "namespace", name));
    const { revision } = seen;
    const rejection = unmet({ ...resource, revision }, { act: "delete", precondition });
    if (rejection) return answer(rejection);
    const deleted = await knownOutcome(store.deleteNamespace(seen));
    if (deleted.outcome === "lost") return RETRY;
    return answer({
      value: undefined,
      created: false,
      effectiveAtMs: announced(context, space, name),
    });
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
