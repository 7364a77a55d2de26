import { applyEvents } from "../src/allocator/nodes/apply-events.ts";
import { intake } from "../src/edge/events/intake.ts";
import { connected, guard } from "../src/wiring.ts";

/** Takes in the events that clusters and their cloud put into the queue. */
export const handler = intake({ connect: connected(), guard }, applyEvents);
