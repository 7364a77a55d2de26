import { applyEvents } from "../src/allocator/nodes/apply-events.ts";
import { intake } from "../src/edge/events/intake.ts";
import { context, guard } from "../src/wiring.ts";

const plat = context();

/** Takes in the events that clusters and their cloud put into the queue. */
export const handler = intake(guard, (scope, events) => applyEvents(plat, scope, events));
