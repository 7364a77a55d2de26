import { Rejection } from "../src/base/outcome.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { Precondition } from "../src/kernel/core/written.ts";
import { parseInterval } from "../src/net/cidr.ts";
import { putReservation, putSettings } from "../src/nouns/pool/operations/administration.ts";
import { putQuota } from "../src/nouns/quota/operations/quotas.ts";
import { putNamespace } from "../src/nouns/registry/operations/namespaces.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import { deleteSpace } from "../src/nouns/space/operations/space-jobs.ts";
import type { Item } from "../src/table/item.ts";
import type { World } from "./world.ts";

/** Spaces that are deleted, in a world of a test. */

export const BLUE = "blue";

/** Writes what an operator leaves in a space without pools. */
export async function furnishBlue(context: Context): Promise<void> {
  await reserveInBlue(context, "routers");
  await limitBlue(context, 10);
  await nameInBlue(context, "shop");
  await configureBlue(context, 7);
}

/** Creates a reservation, or changes it. */
export function reserveInBlue(context: Context, name: string, text = "10.0.0.1"): Promise<void> {
  const interval = parseInterval(text);
  if (!interval.ok) throw new Error(interval.problem);
  const spec = { cidrs: [text], intervals: [interval.value] };
  return written((seen) => putReservation(context, BLUE, name, spec, seen));
}

/** Writes the quota of the space. */
export const limitBlue = (context: Context, addresses: number): Promise<void> =>
  written((seen) => putQuota(context, BLUE, "all", { addresses }, seen));

/** Registers a namespace, or changes its labels. */
export const nameInBlue = (context: Context, name: string, team = "shop"): Promise<void> =>
  written((seen) => putNamespace(context, BLUE, name, { labels: { team } }, seen));

/** Writes the settings. */
export const configureBlue = (context: Context, cooldownSeconds: number): Promise<void> =>
  written((seen) => putSettings(context, BLUE, { ...SETTINGS_DEFAULT, cooldownSeconds }, seen));

/** Changes what is there, or creates it. */
async function written(put: (seen: Precondition) => Promise<unknown>): Promise<void> {
  if (!((await put({ match: "any" })) instanceof Rejection)) return;
  const made = await put(undefined);
  if (made instanceof Rejection) throw new Error(made.detail);
}

export const deleteBlue = (context: Context) => deleteSpace(context, BLUE);

/** Returns what is left of what the deletion of the space removes. */
export const leftInBlue = ({ table }: World): readonly string[] =>
  table
    .items()
    .filter(isOfBlue)
    .map(({ pk, sk }) => (pk.startsWith("NAMESPACE") ? `NAMESPACE#${sk}` : sk))
    .sort();

const isOfBlue = ({ pk, sk }: Item): boolean =>
  pk === `SPACE#${BLUE}` || pk === `NAMESPACE#${BLUE}` || (pk === "SPACES" && sk === BLUE);
