import type { MapPage } from "../../../domain/contents.ts";
import type { Context } from "../../core/context.ts";
import { isPoolGone } from "./pool-gone.ts";

/** Deletes a page of a pool's map when its pool is gone. Returns whether it did. */
export async function collectMap(context: Context, seen: MapPage): Promise<boolean> {
  if (!(await isPoolGone(context, seen))) return false;
  await context.store.deleteMapPage(seen);
  return true;
}
