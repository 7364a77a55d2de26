import { spaceUtilization } from "../src/allocator/space-utilization.ts";
import { http, route } from "../src/edge/http.ts";
import { readSpaceUtilization } from "../src/edge/space-utilization-request.ts";
import { spaceUtilizationAnswer } from "../src/edge/utilization-answer.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** It may walk the whole table: nothing else shows a block of no pool. */
export const handler = http({
  "GET /v1/utilization": route(
    readSpaceUtilization,
    (wanted) => spaceUtilization(plat, wanted),
    spaceUtilizationAnswer,
  ),
});
