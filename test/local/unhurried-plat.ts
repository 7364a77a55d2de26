import "./silent.ts";
import { type LocalPlat, type LocalPlatOptions, startPlat } from "../../src/local/plat.ts";
import { UNHURRIED } from "../patience.ts";

const SECONDS_NEVER = 86_400;

/** Starts a server whose scheduled runs begin only when a test asks for them, and whose requests never run out of time. */
export const unhurriedPlat = (options: Partial<LocalPlatOptions> = {}): Promise<LocalPlat> =>
  startPlat(
    {
      storage: { table: "memory" },
      port: 0,
      reclaimSeconds: SECONDS_NEVER,
      repairSeconds: SECONDS_NEVER,
      workSeconds: SECONDS_NEVER,
      ...options,
    },
    UNHURRIED,
  );
