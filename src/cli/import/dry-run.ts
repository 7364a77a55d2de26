import { ApiError, type PlatClient } from "../../client/index.ts";
import { atOnce } from "../space/at-once.ts";
import type { Conflict } from "./desired.ts";
import { writePool, writeReservation, writeSettings } from "./put.ts";
import type { Plan } from "./steps.ts";

const DRY_RUNS_AT_ONCE = 8;

/**
 * Makes dry runs of an operator's writes, and returns those that the API would reject. It leaves out writes with a
 * known conflict.
 */
export async function previewImport(client: PlatClient, plan: Plan): Promise<readonly Conflict[]> {
  const known = new Set(plan.conflicts.map(({ kind, name }) => `${kind} ${name}`));
  const writes: readonly Write[] = [
    ...plan.pools.map(
      (one): Write => ({
        kind: "pool",
        name: one.name,
        write: () => writePool(client, one, one.fields, DRY_RUN),
      }),
    ),
    ...plan.reservations
      .filter(({ cidrs }) => cidrs.length > 0)
      .map(
        (one): Write => ({
          kind: "reservation",
          name: one.name,
          write: () => writeReservation(client, one, DRY_RUN),
        }),
      ),
    ...[plan.settings?.settings, plan.settings?.opened]
      .filter((settings) => settings !== undefined)
      .map(
        (settings): Write => ({
          kind: "configuration",
          name: "default",
          write: () => writeSettings(client, settings, DRY_RUN),
        }),
      ),
  ];
  const asked = writes.filter(({ kind, name }) => !known.has(`${kind} ${name}`));
  const conflicts = await atOnce(asked, DRY_RUNS_AT_ONCE, async ({ kind, name, write }) => {
    try {
      await write();
      return [];
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.status >= 500) throw error;
      const { code, detail } = error.problem;
      return [{ kind, name, problem: `is rejected: ${code}: ${detail}` }];
    }
  });
  return conflicts.flat();
}

interface Write {
  readonly kind: Conflict["kind"];
  readonly name: string;
  readonly write: () => Promise<unknown>;
}

const DRY_RUN = { dryRun: true };
