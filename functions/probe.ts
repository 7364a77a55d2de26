import { scheduledRun } from "../src/api/events/scheduled-run.ts";
import { probe } from "../src/maintenance/probe.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Assigns an address in a reserved space, and releases it. */
export const probeOver = (wiring: Wiring) =>
  scheduledRun("probe", wiring, async (plat) => {
    const { isPrepared, ...done } = await probe(plat);
    // A run that only prepared proves nothing, so it has no heartbeat.
    return isPrepared ? undefined : done;
  });

export const handler = deployed(probeOver, markerOfEnvironment());
