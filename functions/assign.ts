import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import type { DryRun } from "../src/api/http/write.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import { explain } from "../src/kernel/assign/explain.ts";
import type { Context, Work } from "../src/kernel/core/context.ts";
import { assigning } from "../src/nouns/address/serve/assign.ts";
import { parsePrefixAssign, prefixAssignAnswer } from "../src/nouns/prefix/serve/by-handle.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

const assignOrExplain = async (plat: Context, request: AssignRequest & DryRun, { dryRun }: Work) =>
  request.dryRun ? explain(dryRun, request) : assign(plat, request);

export const assignOver = ({ connect }: Wiring) =>
  authorized<"assign">(connect, {
    "POST /v1/assign": assigning(assignOrExplain),
    "POST /v1/prefixes": route(parsePrefixAssign, assignOrExplain, prefixAssignAnswer),
  });

export const handler = deployed(assignOver);
