import * as v from "valibot";
import { type NameInBody, RESOURCE } from "../../contract/requests/names.ts";
import { DRY_RUN } from "../../contract/requests/query.ts";
import { SPACE_DEFAULT } from "../../contract/routes/space-path.ts";
import {
  address,
  handleInPath,
  idempotencyKey,
  jobId,
  newNode,
  nodeName,
  spaceName,
} from "../../contract/schema/field.ts";
import { type FieldProblem, invalid, Problem } from "../../contract/schema/problem.ts";
import { checked, shortened } from "../../contract/schema/schema.ts";
import type { Address } from "../../domain/address.ts";
import { PROBE_SPACE } from "../../domain/probe.ts";
import type { Event } from "./event.ts";
import { spaceInQuery } from "./misplaced-space.ts";

/** Reads the space in the path, and the query. The entries name the known parameters; any other parameter is rejected. */
export function readQuery<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = event.queryStringParameters ?? {};
  const known = Object.keys(entries);
  const unknown = Object.entries(query).filter(([name]) => !known.includes(name));
  if (unknown.length > 0)
    return invalid(
      ...unknown.map(([name, value]) =>
        name === "space" ? spaceInQuery(event, value) : unknownParameter(name, known),
      ),
    );
  const named = event.pathParameters?.space;
  const space = named === undefined ? SPACE_DEFAULT : inPath("space", spaceName, named);
  if (space instanceof Problem) return space;
  if (space === PROBE_SPACE && !READS.includes(event.requestContext.http.method))
    return reservedSpace();
  const input = checked(v.object(entries), query);
  return input instanceof Problem ? asParameters(input) : { ...input, space };
}

const READS: readonly string[] = ["GET", "HEAD"];

/** Returns the problem of a write in the space of the probe, which a caller would make fail or hide. */
export const reservedSpace = (): Problem =>
  invalid({ field: "space", problem: `is ${PROBE_SPACE}, which is reserved for the probe` });

/** Reads the space of a request without query parameters. */
export function readSpace(event: Event): string | Problem {
  const query = readQuery(event, {});
  return query instanceof Problem ? query : query.space;
}

/** Reads a write without a body and a name. */
export const readDryRun = (event: Event) => readQuery(event, DRY_RUN);

/** Reads the name of a resource in its space. */
export function readNamed(event: Event, of = RESOURCE) {
  return readNamedWith(event, {}, of);
}

/** Reads a write of a named resource. A body may repeat the name, but must not contradict the URL. */
export function readNamedWrite(event: Event, nameInBody?: NameInBody, of = RESOURCE) {
  const named = readNamedWith(event, DRY_RUN, of);
  if (named instanceof Problem || nameInBody === undefined) return named;
  return nameMismatch(nameInBody, named.name) ?? named;
}

/** Returns the problem of a body that names another resource than the URL. */
export function nameMismatch(nameInBody: NameInBody, name: string): Problem | undefined {
  if (nameInBody.value === name) return undefined;
  const problem = `is not ${name}, the name in the URL`;
  return new Problem("name_mismatch", `${nameInBody.field} ${problem}.`, {
    fields: [{ ...nameInBody, problem }],
  });
}

/** Reads the name in the path, and the other parameters of the query. */
export function readNamedWith<Entries extends v.ObjectEntries>(
  event: Event,
  entries: Entries,
  of = RESOURCE,
) {
  const query = readQuery(event, entries);
  if (query instanceof Problem) return query;
  const name = inPath(
    of.part,
    givesNames(event) ? of.given : of.schema,
    event.pathParameters?.[of.part],
  );
  return name instanceof Problem ? name : { ...query, name };
}

export function readJobPath(event: Event): { space: string; id: string } | Problem {
  const space = readSpace(event);
  if (space instanceof Problem) return space;
  const id = inPath("id", jobId, event.pathParameters?.id);
  return id instanceof Problem ? id : { space, id };
}

export function readHandlePath(event: Event) {
  return readHandleWith(event, {});
}

/** Reads the handle in the path, and the query. */
export function readHandleWith<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = readQuery(event, entries);
  if (query instanceof Problem) return query;
  const handle = inPath("handle", handleInPath, event.pathParameters?.handle);
  return handle instanceof Problem ? handle : { ...query, handle };
}

export function readAddressPath(event: Event): { space: string; address: Address } | Problem {
  const space = readSpace(event);
  if (space instanceof Problem) return space;
  const ip = inPath("ip", address, event.pathParameters?.ip);
  return ip instanceof Problem ? ip : { space, address: ip };
}

/** Reads the host in the path, and the query. */
export function readHostWith<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = readQuery(event, entries);
  if (query instanceof Problem) return query;
  const node = inPath("node", givesNames(event) ? newNode : nodeName, event.pathParameters?.node);
  return node instanceof Problem ? node : { ...query, node };
}

/** Returns true if the path of a request can give a resource its name. */
const givesNames = ({ requestContext: { http } }: Event): boolean =>
  http.method === "PUT" || http.method === "POST";

/** Reads a part of the path or a header; returns its error under its name. */
export function inPath<Schema extends v.GenericSchema>(
  field: string,
  schema: Schema,
  value: string | undefined,
): v.InferOutput<Schema> | Problem {
  const part = checked(schema, value);
  return part instanceof Problem ? renamed(part, field) : part;
}

/** Reads the Idempotency-Key of a request, if it has one. The quoted and the bare form are the same key. */
export function readIdempotencyKey(event: Event): { readonly key: string | undefined } | Problem {
  const header = event.headers["idempotency-key"];
  if (header === undefined) return { key: undefined };
  const key = inPath("Idempotency-Key", idempotencyKey, header);
  return key instanceof Problem ? key : { key };
}

function unknownParameter(name: string, known: readonly string[]): FieldProblem {
  const list =
    known.length === 0
      ? "it takes none"
      : `known ${known.length > 1 ? "are" : "is"} ${known.join(", ")}`;
  return { field: `?${shortened(name)}`, problem: `is not a parameter here; ${list}` };
}

/** Renames the fields of a problem whose schema read a whole body. */
function renamed({ members }: Problem, field: string): Problem {
  return invalid(...(members.fields as FieldProblem[]).map((problem) => ({ ...problem, field })));
}

/** Renames the fields of a problem whose schema read fields of a body. */
function asParameters({ members }: Problem): Problem {
  const fields = members.fields as FieldProblem[];
  return invalid(...fields.map((problem) => ({ ...problem, field: `?${problem.field}` })));
}
