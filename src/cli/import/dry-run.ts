import { ApiError, type Path, type PlatClient, path } from "../../client/index.ts";
import { atOnce } from "../space/at-once.ts";
import type { Conflict } from "./desired.ts";
import { put } from "./put.ts";
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
      ({ name, fields }): Write => ({
        kind: "pool",
        name,
        route: () => path`/v1/pools/${name}`,
        bodyOver: () => fields,
      }),
    ),
    ...plan.reservations.map(
      ({ name, cidrs }): Write => ({
        kind: "reservation",
        name,
        route: () => path`/v1/reservations/${name}`,
        bodyOver: (before) => ({ ...before, cidrs }),
      }),
    ),
    ...(plan.settings
      ? [settingsWrite(plan.settings.settings), settingsWrite(plan.settings.opened)]
      : []
    ).flatMap((write) => (write ? [write] : [])),
  ];
  const asked = writes.filter(({ kind, name }) => !known.has(`${kind} ${name}`));
  const conflicts = await atOnce(asked, DRY_RUNS_AT_ONCE, async (write) => {
    try {
      await put(client, write.route(), write.bodyOver, { dryRun: true });
      return [];
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.status >= 500) throw error;
      const { code, detail } = error.problem;
      return [{ kind: write.kind, name: write.name, problem: `is rejected: ${code}: ${detail}` }];
    }
  });
  return conflicts.flat();
}

interface Write {
  readonly kind: Conflict["kind"];
  readonly name: string;
  readonly route: () => Path;
  readonly bodyOver: (before: object) => object;
}

const settingsWrite = (settings: object | undefined): Write | undefined =>
  settings && {
    kind: "configuration",
    name: "default",
    route: () => path`/v1/config`,
    bodyOver: () => settings,
  };
