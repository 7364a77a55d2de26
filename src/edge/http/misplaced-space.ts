import * as v from "valibot";
import { inNamedSpace, withoutSpace } from "../../contract/routes/space-path.ts";
import { spaceName } from "../../contract/schema/field.ts";
import { type FieldProblem, invalid } from "../../contract/schema/problem.ts";
import { cut, isRecord, shortened } from "../../contract/schema/schema.ts";
import type { Event } from "./event.ts";

/** Rejects a body that names a space, so that a manifest is not applied in a space that its sender did not mean. */
export function rejectSpaceInBody(event: Event, body: unknown): void {
  if (isRecord(body) && Object.hasOwn(body, "space"))
    throw invalid({
      field: "space",
      value: shortened(body.space),
      problem: `is not a field here: ${instead(event, body.space)}`,
    });
}

/** Returns the error for a query that names a space. */
export const spaceInQuery = (event: Event, space: unknown): FieldProblem => ({
  field: "?space",
  value: shortened(space),
  problem: `is not a parameter here: ${instead(event, space)}`,
});

const instead = (event: Event, space: unknown) =>
  `the path alone names the space; send ${requestIn(event, space)}`;

/**
 * Returns the path of the same request in that space, such as `POST /v1/spaces/blue/assign`; nothing if the name is
 * invalid.
 */
function requestIn({ routeKey, pathParameters }: Event, space: unknown): string {
  const parts = new Map(Object.entries(pathParameters ?? {}));
  if (v.is(spaceName, space)) parts.set("space", space);
  return inNamedSpace(withoutSpace(routeKey)).replace(/\{(\w+)\+?\}/g, (part, name: string) =>
    cut(parts.get(name) ?? part),
  );
}
