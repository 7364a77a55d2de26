import { intake } from "../src/api/events/intake.ts";
import { applyEvents } from "../src/nouns/node/operations/apply-events.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Takes in the events that clusters and their cloud put into the queue. */
export const intakeOver = (wiring: Wiring) => intake(wiring, applyEvents);

export const handler = deployed(intakeOver, markerOfEnvironment());
