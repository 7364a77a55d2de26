import * as v from "valibot";
import { PROBE_SPACE } from "../../kernel/values/probe.ts";
import type { Address } from "../../net/address.ts";
import { type NameInBody, RESOURCE } from "../names.ts";
import { DRY_RUN } from "../query.ts";
import { inNamedSpace, SPACE_DEFAULT, withoutSpace } from "../route.ts";
import {
  address,
  handleInPath,
  idempotencyKey,
  jobId,
  newNode,
  nodeName,
  spaceName,
} from "../schema/field.ts";
import { type FieldProblem, invalid, orProblem, Problem } from "../schema/problem.ts";
import { checked, cut, isRecord, shortened } from "../schema/schema.ts";
import type { Event } from "./event.ts";

/**
 * Parses the space in the path, and the query. The entries name the known parameters. Any other parameter is rejected, and so is
 * a repeated one that takes one value.
 *
 * @param several the parameters that take several values
 */
export function parseQuery<Entries extends v.ObjectEntries>(
  event: Event,
  entries: Entries,
  several: readonly (keyof Entries & string)[] = [],
) {
  const query = event.queryStringParameters ?? {};
  const known = Object.keys(entries);
  const unknown = Object.entries(query).filter(([name]) => !known.includes(name));
  if (unknown.length > 0)
    throw invalid(
      ...unknown.map(([name, value]) =>
        name === "space" ? spaceInQuery(event, value) : unknownParameter(name, known),
      ),
    );
  const repeated = repeatedIn(event).filter((name) => !several.includes(name));
  if (repeated.length > 0) throw invalid(...repeated.map(repeatedParameter));
  const named = event.pathParameters?.space;
  const space = named === undefined ? SPACE_DEFAULT : inPath("space", spaceName, named);
  if (space === PROBE_SPACE && !READS.includes(event.requestContext.http.method))
    throw reservedSpace();
  const input = renamed(
    (field) => `?${field}`,
    () => checked(v.object(entries), query),
  );
  return { ...input, space };
}

/**
 * Returns the names of the parameters that come more than once. API Gateway has joined their values by commas, which a
 * value may contain too, so only the query as it was sent tells the two apart.
 */
function repeatedIn({ rawQueryString }: Event): readonly string[] {
  const names = [...new URLSearchParams(rawQueryString).keys()];
  return [...new Set(names.filter((name, i) => names.indexOf(name) < i))];
}

/** Returns the problem of a parameter that comes more than once and takes one value. */
export const repeatedParameter = (name: string): FieldProblem => ({
  field: `?${shortened(name)}`,
  problem: "is repeated: it takes one value",
});

const READS: readonly string[] = ["GET", "HEAD"];

/** Returns the problem of a write in the space of the probe, which a caller would make fail or hide. */
export const reservedSpace = (): Problem =>
  invalid({ field: "space", problem: `is ${PROBE_SPACE}, which is reserved for the probe` });

/** Parses the space of a request without query parameters. */
export function parseSpace(event: Event): string {
  const query = parseQuery(event, {});
  return query.space;
}

/** Parses a write without a body and a name. */
export const parseDryRun = (event: Event) => parseQuery(event, DRY_RUN);

/** Parses the name of a resource in its space. */
export function parseNamed(event: Event, of = RESOURCE) {
  return parseNamedWith(event, {}, of);
}

/** Parses a write of a named resource. A body may repeat the name, but must not contradict the URL. */
export function parseNamedWrite(event: Event, nameInBody?: NameInBody, of = RESOURCE) {
  const named = parseNamedWith(event, DRY_RUN, of);
  if (nameInBody !== undefined) rejectOtherName(nameInBody, named.name);
  return named;
}

/** Rejects a body that names another resource than the URL. */
export function rejectOtherName(nameInBody: NameInBody, name: string): void {
  if (nameInBody.value === name) return;
  const problem = `is not ${name}, the name in the URL`;
  throw new Problem("name_mismatch", `${nameInBody.field} ${problem}.`, {
    fields: [{ ...nameInBody, problem }],
  });
}

/** Parses the name in the path, and the other parameters of the query. */
export function parseNamedWith<Entries extends v.ObjectEntries>(
  event: Event,
  entries: Entries,
  of = RESOURCE,
) {
  const query = parseQuery(event, entries);
  const name = inPath(
    of.part,
    givesNames(event) ? of.given : of.schema,
    event.pathParameters?.[of.part],
  );
  return { ...query, name };
}

export function parseJobPath(event: Event): { space: string; id: string } {
  const space = parseSpace(event);
  const id = inPath("id", jobId, event.pathParameters?.id);
  return { space, id };
}

export function parseHandlePath(event: Event) {
  return parseHandleWith(event, {});
}

/** Parses the handle in the path, and the query. */
export function parseHandleWith<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = parseQuery(event, entries);
  const handle = inPath("handle", handleInPath, event.pathParameters?.handle);
  return { ...query, handle };
}

export function parseAddressPath(event: Event): { space: string; address: Address } {
  const space = parseSpace(event);
  const ip = inPath("ip", address, event.pathParameters?.ip);
  return { space, address: ip };
}

/** Parses the host in the path, and the query. */
export function parseHostWith<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = parseQuery(event, entries);
  const node = inPath("node", givesNames(event) ? newNode : nodeName, event.pathParameters?.node);
  return { ...query, node };
}

/** Returns true if the path of a request can give a resource its name. */
const givesNames = ({ requestContext: { http } }: Event): boolean =>
  http.method === "PUT" || http.method === "POST";

/** Reads a part of the path or a header; returns its error under its name. */
export function inPath<Schema extends v.GenericSchema>(
  field: string,
  schema: Schema,
  value: string | undefined,
): v.InferOutput<Schema> {
  return renamed(
    () => field,
    () => checked(schema, value),
  );
}

/** Parses the Idempotency-Key of a request, if it has one. The quoted and the bare form are the same key. */
export function parseIdempotencyKey({ headers }: Event): string | undefined {
  const header = headers["idempotency-key"];
  return header === undefined ? undefined : inPath("Idempotency-Key", idempotencyKey, header);
}

/**
 * Rejects an Idempotency-Key.
 *
 * @param instead says what its sender has to know of a repeat, as the end of a sentence
 */
export function rejectIdempotencyKey({ headers }: Event, instead: string): void {
  const header = headers["idempotency-key"];
  if (header === undefined) return;
  const problem = `is not supported by a release: ${instead}`;
  throw invalid({ field: "Idempotency-Key", value: shortened(header), problem });
}

function unknownParameter(name: string, known: readonly string[]): FieldProblem {
  const list =
    known.length === 0
      ? "it takes none"
      : `known ${known.length > 1 ? "are" : "is"} ${known.join(", ")}`;
  return { field: `?${shortened(name)}`, problem: `is not a parameter here; ${list}` };
}

/** Parses a part of a request, and names the fields of its problem as the sender knows them. */
export function renamed<T>(nameOf: (field: string) => string, parse: () => T): T {
  const read = orProblem(parse);
  if (!(read instanceof Problem)) return read;
  const fields = read.members.fields as readonly FieldProblem[];
  throw invalid(...fields.map((problem) => ({ ...problem, field: nameOf(problem.field) })));
}

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
const spaceInQuery = (event: Event, space: unknown): FieldProblem => ({
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
