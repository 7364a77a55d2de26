import { putPool } from "../src/allocator/admin/administration.ts";
import { deleteApplication } from "../src/allocator/applications/delete-application.ts";
import { putApplication } from "../src/allocator/applications/put-application.ts";
import type { Context } from "../src/allocator/core/context.ts";
import type { ApplicationName, ApplicationSpec } from "../src/domain/application.ts";
import type { PoolSpec } from "../src/domain/pool.ts";
import { intervals } from "./domain/builders.ts";
import { assigned, poolOf, requestOf, SPACE, type World } from "./world.ts";

export const WEB: ApplicationName = { namespace: "shop", kind: "Deployment", name: "web" };

/** A pool for applications: four blocks of two addresses. */
const subnetOf = (...ranges: string[]): PoolSpec => ({
  ...poolOf("10.9.0.0/29", 31),
  assignmentMode: "Applications",
  ranges: intervals(...ranges),
});

const putSubnet = (context: Context) =>
  putPool(context, SPACE, "subnet", subnetOf("10.9.0.0-10.9.0.7"), undefined);

const specOf = (number: number, keep = false): ApplicationSpec => ({
  replicas: 0,
  start: 0,
  addresses: { number: String(number), interfaces: [{ name: "", pools: ["subnet"] }], keep },
});

const ANY = { match: "any" } as const;

/** Writes an application over the current one, or creates it. */
export async function hold(context: Context, number: number, of = WEB) {
  const seen = await context.store.readApplication(SPACE, of);
  return putApplication(context, SPACE, of, specOf(number), seen && ANY);
}

/** Deletes an application, whatever its version is. */
export const end = (context: Context, of: ApplicationName = WEB) =>
  deleteApplication(context, SPACE, of, ANY);

/** Cuts the second half out of the pool for applications. */
export const putTeam = (context: Context) => putPool(context, SPACE, "team", TEAM, undefined);

const TEAM: PoolSpec = {
  ...subnetOf(),
  assignmentMode: "Manual",
  ranges: intervals("10.9.0.4-10.9.0.7"),
};

/** Makes the pool for applications beside an address of an ordinary pool. */
export const withSubnet = async ({ calm }: World) => {
  await putSubnet(calm);
  return { old: await assigned(calm, requestOf("old", 1)) };
};

/** Makes an application that holds addresses. */
export const holding = (number: number) => async (world: World) => {
  const told = await withSubnet(world);
  await hold(world.calm, number);
  return told;
};

/** Makes an application that had all addresses, and has the first one left: the blocks of the others stand. */
export const leftWithOne = async (world: World) => {
  const told = await holding(8)(world);
  await hold(world.calm, 1);
  world.clock.nowMs += 10_000;
  return told;
};
