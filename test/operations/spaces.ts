import { expect } from "vitest";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { deleteSpace } from "../../src/nouns/space/operations/space-jobs.ts";
import { work } from "../scheduled-runs.ts";
import { BLUE, furnishBlue, nameInBlue } from "../spaces.ts";
import type { World } from "../world.ts";
import type { Operation } from "./operation.ts";

async function furnished({ calm }: World) {
  await furnishBlue(calm);
  return {};
}

async function beingDeleted(world: World) {
  await furnished(world);
  await deleteSpace(world.calm, BLUE);
  return {};
}

/** The operations on spaces as a whole. */
export const SPACES: readonly Operation[] = [
  {
    name: "the deletion of a space",
    step: "mark-space",
    prepare: furnished,
    walk: (context) => deleteSpace(context, BLUE),
    kept: [],
    again: async (context, _, clock) => {
      expect(await deleteSpace(context, BLUE)).toMatchObject({ job: { kind: "space.delete" } });
      await work(context, clock, 2);
      expect(await deleteSpace(context, BLUE)).toMatchObject({ job: { state: "done" } });
    },
  },
  {
    name: "a worker that deletes a space",
    step: "drop-space",
    prepare: beingDeleted,
    walk: (context) => runJobs(context),
    kept: [],
    again: async (context, _, clock) => {
      await work(context, clock, 2);
      expect(await deleteSpace(context, BLUE)).toMatchObject({ job: { state: "done" } });
    },
  },
  {
    name: "a worker that deletes a space in which something was written",
    step: "end-job",
    prepare: async (world) => {
      await beingDeleted(world);
      await nameInBlue(world.calm, "late");
      return {};
    },
    walk: (context) => runJobs(context),
    kept: [],
    again: async (context, _, clock) => {
      await work(context, clock, 2);
      const late = await context.store.readNamespace(BLUE, "late");
      expect(late).toMatchObject({ name: "late" });
    },
  },
];
