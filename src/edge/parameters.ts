import { type Address, parseAddress } from "../domain/address.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../domain/limits.ts";
import { handleText, resourceName, spaceName } from "./field.ts";
import type { Event } from "./http.ts";
import { type FieldProblem, invalid, Problem } from "./problem.ts";
import { checked, shortened } from "./schema.ts";

/** What a request says outside its body: path, query and headers. */

export const SPACE_DEFAULT = "default";

/** The name that a body gives to what it describes, and the field it stands in. */
export interface NameInBody {
  readonly field: string;
  readonly value: string;
}

/** The space of a request: named in the body or in the query, and the same where in both. */
export function readSpace(event: Event, inBody?: string): string | Problem {
  const { space: inQuery, ...others } = event.queryStringParameters ?? {};
  const unknown = Object.keys(others);
  if (unknown.length > 0) return invalid(...unknown.map(unknownParameter));
  if (inQuery === undefined) return inBody ?? SPACE_DEFAULT;
  const space = checked(spaceName, inQuery);
  if (space instanceof Problem) return renamed(space, "?space");
  if (inBody === undefined || inBody === space) return space;
  return invalid({
    field: "space",
    value: inBody,
    problem: `is not the ${JSON.stringify(space)} of the query; name the space once`,
  });
}

/** The name of a pool or a reservation in its space; a body may repeat both, but not contradict the URL. */
export function readNamed(event: Event, spaceInBody?: string, nameInBody?: NameInBody) {
  const space = readSpace(event, spaceInBody);
  if (space instanceof Problem) return space;
  const name = checked(resourceName, event.pathParameters?.name);
  if (name instanceof Problem) return renamed(name, "name");
  if (nameInBody === undefined || nameInBody.value === name) return { space, name };
  const problem = `is not ${name}, the name in the URL`;
  return new Problem("name_mismatch", `${nameInBody.field} ${problem}.`, {
    fields: [{ ...nameInBody, problem }],
  });
}

export function readHandlePath(event: Event) {
  const space = readSpace(event);
  if (space instanceof Problem) return space;
  const handle = checked(handleText, event.pathParameters?.handle);
  return handle instanceof Problem ? renamed(handle, "handle") : { space, handle };
}

export function readAddressPath(
  event: Event,
  spaceInBody?: string,
): { space: string; address: Address } | Problem {
  const space = readSpace(event, spaceInBody);
  if (space instanceof Problem) return space;
  const { ip = "" } = event.pathParameters ?? {};
  const address = parseAddress(ip);
  return address.ok
    ? { space, address: address.value }
    : invalid({ field: "ip", value: shortened(ip), problem: address.problem });
}

/** The revision that the caller saw. An ETag is a revision in quotes. */
export function readIfMatch(event: Event): { readonly ifMatch: string | undefined } | Problem {
  const header = event.headers["if-match"];
  if (header === undefined) return { ifMatch: undefined };
  const [, revision] = /^"([\w-]{1,64})"$/.exec(header) ?? [];
  if (revision !== undefined) return { ifMatch: revision };
  return invalid({ field: "If-Match", value: shortened(header), problem: ifMatchProblem(header) });
}

export function readIdempotencyKey(event: Event): { readonly key: string | undefined } | Problem {
  const key = event.headers["idempotency-key"];
  if (
    key === undefined ||
    (/^[\x20-\x7e]+$/.test(key) && key.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX)
  )
    return { key };
  return invalid({
    field: "Idempotency-Key",
    value: shortened(key),
    problem: `must be 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable ASCII characters`,
  });
}

function ifMatchProblem(header: string): string {
  if (header === "*") return "must be the ETag that was seen; * would overwrite whatever is there";
  if (header.startsWith("W/")) return "is a weak ETag; ours are strong";
  return 'must be one ETag in its quotes, such as "AZ3qXw8"';
}

function unknownParameter(name: string): FieldProblem {
  return { field: `?${shortened(name)}`, problem: "is not a parameter here; known is space" };
}

/** The same problem of what the schema took for a whole body. */
function renamed({ members }: Problem, field: string): Problem {
  return invalid(...(members.fields as FieldProblem[]).map((problem) => ({ ...problem, field })));
}
