import { EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetApplication } from "../../../kernel/core/labels.ts";
import { knownOutcome, type Precondition, unmet } from "../../../kernel/core/written.ts";
import { settle } from "../../../kernel/held/settle.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { type Application, type ApplicationName, nameOfApplication } from "../application.ts";
import { each, listedAt, restated } from "../changes.ts";
import { endLost } from "./end-lost.ts";
import type { DeletedApplication } from "./written.ts";

/**
 * Deletes an application if the precondition holds: its item says so → the addresses that no instance has are let go → they are
 * unlisted → the item, when it lists nothing. Those that an instance has go when it releases them. An application that keeps its
 * addresses stays, without replicas and with all of them.
 */
export async function deleteApplication(
  context: Context,
  space: string,
  of: ApplicationName,
  precondition: Precondition,
): Promise<DeletedApplication | Rejection> {
  const { store } = context;
  const name = nameOfApplication(of);
  return compareAndSwap<DeletedApplication | Rejection>(`the application ${name}`, async () => {
    const seen = await store.readApplication(space, of);
    if (!seen) return answer(notFound(space, "application", name));
    const { revision } = seen;
    const rejection = unmet(
      { kind: "application", name, revision },
      { act: "delete", precondition },
    );
    if (rejection) return answer(rejection);
    const next = ended(seen, fresh(context));
    const put = await knownOutcome(store.changeApplication("end-application", seen, next));
    if (put.outcome === "lost") return RETRY;
    forgetApplication(context, space, of);
    const effectiveAtMs = context.now() + EFFECTIVE_MS_MAX;
    const settled = await settle(context, next);
    const after = settled && (await endLost(context, settled));
    const left = after?.listed.length ?? 0;
    const released = next.listed
      .filter(({ address }) => !after || !listedAt(after, address))
      .map(({ address }) => address);
    return answer({ value: { released, left }, created: false, effectiveAtMs });
  });
}

/** Returns the application as an operator's deletion leaves it. */
function ended(seen: Application, revision: string): Application {
  const kept = seen.addresses?.keep === true;
  const base = {
    ...seen,
    replicas: 0,
    state: kept ? "retained" : "deleting",
  } as const;
  return restated(base, kept ? new Map() : each(seen.listed, "leaving"), revision);
}
