import { assign } from "../src/allocator/assign/assign.ts";
import { explain } from "../src/allocator/assign/explain.ts";
import { fresh } from "../src/allocator/core/context.ts";
import { assignAnswer, readAssign } from "../src/edge/assign/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { prefixAssignAnswer, readPrefixAssign } from "../src/edge/prefixes/by-handle.ts";
import { context, dryRunContext } from "../src/wiring.ts";

const plat = context();

export const handler = authorized({
  "POST /v1/assign": route(
    (event) => readAssign(event, () => fresh(plat)),
    async (request) => (request.dryRun ? explain(dryRunContext, request) : assign(plat, request)),
    assignAnswer,
  ),
  "POST /v1/prefixes": route(
    readPrefixAssign,
    async (request) => (request.dryRun ? explain(dryRunContext, request) : assign(plat, request)),
    prefixAssignAnswer,
  ),
});
