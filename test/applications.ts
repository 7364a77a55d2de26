import { assign } from "../src/kernel/assign/assign.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { ApplicationName, ApplicationSpec } from "../src/nouns/application/application.ts";
import { deleteApplication } from "../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../src/nouns/application/operations/put-application.ts";
import type { Workload } from "../src/nouns/application/workload.ts";
import { putPool } from "../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../src/nouns/pool/pool.ts";
import { intervals } from "./builders.ts";
import { instanceRequest, podOf, releaseOf } from "./instances.ts";
import { assigned, poolOf, requestOf, SPACE, type World } from "./world.ts";

export const WEB: ApplicationName = { namespace: "shop", kind: "Deployment", name: "web" };
/** The StatefulSet of `podOf`. */
export const DB: ApplicationName = { namespace: "shop", kind: "StatefulSet", name: "db" };

/** A pool for applications: four blocks of two addresses. */
const subnetOf = (...ranges: string[]): PoolSpec => ({
  ...poolOf("10.9.0.0/29", 31),
  assignmentMode: "Applications",
  ranges: intervals(...ranges),
});

const putSubnet = (context: Context) =>
  putPool(context, SPACE, "subnet", subnetOf("10.9.0.0-10.9.0.7"), undefined);

const specOf = (number: number, replicas: number): ApplicationSpec => ({
  replicas,
  start: 0,
  addresses: {
    number: String(number),
    interfaces: [{ name: "", pools: ["subnet"] }],
    keep: false,
  },
});

const ANY = { match: "any" } as const;

/** Writes an application over the current one, or creates it. */
export async function hold(context: Context, number: number, of = WEB, replicas = 0) {
  const seen = await context.store.readApplication(SPACE, of);
  return putApplication(context, SPACE, of, specOf(number, replicas), seen && ANY);
}

/** Deletes an application, whatever its version is. */
export const end = (context: Context, of: ApplicationName = WEB) =>
  deleteApplication(context, SPACE, of, ANY);

/** Returns the pod of the application with a number. */
export const webPod = (n: number, uid = `uid-${n}`): Workload =>
  podOf(uid, { kind: "Deployment", name: "web", instance: `web-${n}` });

/** Assigns an address of the application to one of its pods. */
export const take = (context: Context, pod = webPod(1)) => assign(context, instanceRequest(pod));

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

/** Makes an application that holds addresses, one of which its pod has. */
export const inUse = (number: number) => async (world: World) => {
  const told = await holding(number)(world);
  return { ...told, web: await assigned(world.calm, instanceRequest(webPod(1))) };
};

/** Makes a StatefulSet of two replicas, of which the second keeps its address. */
export const keptByLast = async (world: World) => {
  const told = await withSubnet(world);
  await hold(world.calm, 2, DB, 2);
  const last = podOf("a", { instance: "db-1" });
  const db = await assigned(world.calm, instanceRequest(last));
  await releaseOf(world.calm, last, true);
  return { ...told, db };
};

/** Makes an application of one address, and both that it had are in use. */
export const fewer = async (world: World) => {
  const told = await inUse(2)(world);
  await take(world.calm, webPod(2));
  await hold(world.calm, 1);
  return told;
};
