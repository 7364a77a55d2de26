import { pathIn } from "../src/api/route.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { parseAssign } from "../src/nouns/address/serve/assign.ts";
import { eventOf } from "./api/event.ts";

interface Named {
  readonly space: string;
  readonly handle: string;
  readonly host: string;
}

/** Assigns under names that requests can no longer contain, as Plat did before it checked names for paths. */
export function assignUnderOldName(
  context: Context,
  { space, handle, host, ...body }: Readonly<Record<string, unknown>> & Named,
) {
  const asked = { ...body, handle: "h", host: "n" };
  const read = parseAssign(
    eventOf("POST", pathIn(space, "/v1/assign"), { body: asked }),
    () => "",
  ) as AssignRequest;
  return assign(context, { ...read, handle, host: hostId("host", host) });
}
