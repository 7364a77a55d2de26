import { applyEvents } from "../src/allocator/nodes/apply-events.ts";
import { intake } from "../src/edge/events/intake.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Takes in the events that clusters and their cloud put into the queue. */
export const intakeOver = (wiring: Wiring) => intake(wiring, applyEvents);

export const handler = deployed(intakeOver);
