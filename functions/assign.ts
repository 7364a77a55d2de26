import { assign } from "../src/allocator/assign/assign.ts";
import type { AssignRequest } from "../src/allocator/assign/assignment.ts";
import { explain } from "../src/allocator/assign/explain.ts";
import type { Context, Work } from "../src/allocator/core/context.ts";
import { assigning } from "../src/edge/assign/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import type { DryRun } from "../src/edge/http/write.ts";
import { prefixAssignAnswer, readPrefixAssign } from "../src/edge/prefixes/by-handle.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

const assignOrExplain = async (plat: Context, request: AssignRequest & DryRun, { dryRun }: Work) =>
  request.dryRun ? explain(dryRun, request) : assign(plat, request);

export const assignOver = ({ connect }: Wiring) =>
  authorized<"assign">(connect, {
    "POST /v1/assign": assigning(assignOrExplain),
    "POST /v1/prefixes": route(readPrefixAssign, assignOrExplain, prefixAssignAnswer),
  });

export const handler = deployed(assignOver);
