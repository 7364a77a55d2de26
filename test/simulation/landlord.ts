import { Rejection } from "../../src/base/outcome.ts";
import { type Violation, violation } from "../../src/invariants/violation.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { parseInterval } from "../../src/net/cidr.ts";
import {
  putPool,
  putReservation,
  putSettings,
} from "../../src/nouns/pool/operations/administration.ts";
import { putNamespace } from "../../src/nouns/registry/operations/namespaces.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { deleteSpace } from "../../src/nouns/space/operations/space-jobs.ts";
import { requestOf } from "./layers.ts";
import { chance, manual } from "./operators.ts";
import type { Life } from "./run.ts";
import { valueIn } from "./scenario.ts";

/** The share of runs in which spaces are deleted. */
export const LANDLORDS_SHARE = 0.1;
/** The space that is deleted. Its name lies in the shard of a space of every run, so that reclaimers visit it. */
const RENTED = "leased";
const LEASES = 8;

/** Knows what its operator wrote in the space after the last deletion was accepted: nothing may remove it. */
export class Tenancy {
  readonly violations: Violation[] = [];
  readonly #kept = new Set<string>();

  /** Nothing is checked while a step is under way: the operator checks between its requests. */
  step(): void {}

  begins(): void {
    this.#kept.clear();
  }

  keeps(name: string): void {
    this.#kept.add(name);
  }

  check(there: readonly string[]): void {
    for (const name of this.#kept)
      if (!there.includes(name))
        this.violations.push(
          violation("shape", `${name} was written after its space was deleted, and is gone`),
        );
  }
}

/** Acts as the one operator that deletes the space: it writes something there, deletes all of it, and writes anew at once. */
export async function landlord(
  context: Context,
  { scheduler }: Life,
  tenancy: Tenancy,
): Promise<void> {
  // A deletion without an answer may still be carried out.
  let isAnswered = true;
  for (let n = 0; n < LEASES; n++) {
    await context.sleep(30_000 * context.random.fraction());
    const name = `let-${n}`;
    const put = await scheduler.trying(() => write(context, name));
    if (isAnswered && put && !(put instanceof Rejection)) tenancy.keeps(name);
    await context.sleep(60_000 * context.random.fraction());
    const there = await scheduler.trying(() => namesIn(context));
    if (there) tenancy.check(there);
    tenancy.begins();
    const deleted = await scheduler.trying(() => deleteSpace(requestOf(context), RENTED));
    isAnswered = deleted !== undefined;
    if (deleted instanceof Rejection) scheduler.count(`answer: ${deleted.code}`);
    const how = deleted instanceof Rejection ? deleted.code : deleted?.job.state;
    scheduler.count(`a space is deleted: ${how ?? "no answer"}`);
  }
}

/** Acts as others that use the space meanwhile. */
export async function lodger(context: Context, { scheduler }: Life): Promise<void> {
  for (let n = 0; n < LEASES; n++) {
    await context.sleep(60_000 * context.random.fraction());
    await scheduler.trying(() => use(context, `lodger-${n}`));
  }
}

const use = (context: Context, name: string): Promise<unknown> =>
  chance(context, 0.1)
    ? putPool(requestOf(context), RENTED, name, manual("10.7.0.0/28"), undefined)
    : write(context, name);

/** Writes something under the name; or the settings, which have none, and then returns nothing. */
async function write(context: Context, name: string): Promise<unknown> {
  if (chance(context, 0.3))
    return putNamespace(requestOf(context), RENTED, name, { labels: {} }, undefined);
  if (chance(context, 0.2)) {
    await putSettings(requestOf(context), RENTED, SETTINGS_DEFAULT, undefined);
    return undefined;
  }
  const intervals = [valueIn(parseInterval("10.7.0.1"))];
  return putReservation(
    requestOf(context),
    RENTED,
    name,
    { cidrs: ["10.7.0.1"], intervals },
    undefined,
  );
}

async function namesIn({ store }: Context): Promise<readonly string[]> {
  const { reservations } = await store.readSpace(RENTED);
  const { items } = await store.listNamespaces(RENTED, { after: undefined, limit: 100 });
  return [...reservations, ...items].map(({ name }) => name);
}
