import type * as v from "valibot";
import { isJson, jsonBody, mediaType, unsupported } from "../api/http/body.ts";
import type { Event, HttpAnswer } from "../api/http/event.ts";
import { invalid } from "../api/schema/problem.ts";
import { checked, cut } from "../api/schema/schema.ts";
import type { QueryValues } from "./filter.ts";
import { inPlaceOf, type Plat } from "./plat.ts";

/** A request of the dialect. */
export interface DialectRequest {
  readonly event: Event;
  /** The id in the path; 0 if there is none, which is the id of nothing. */
  readonly id: number;
  readonly query: QueryValues;
  /** The path below the root, without slashes at its ends. */
  readonly path: string;
  /** The URL of the dialect's root, with a slash at the end. */
  readonly base: string;
}

/** Serves one kind of request. It throws the problem of one that fails. */
export type Operation = (asked: DialectRequest, plat: Plat) => Promise<HttpAnswer>;

/** Parameters that change the form of NetBox's answers. Plat answers in full. */
const FORM = ["brief", "exclude", "fields", "format"];

/**
 * Rejects a query with unknown filters. NetBox ignores those, and a client would then change what it did not mean.
 *
 * @param isKnown returns true for a filter of the list
 */
export function rejectUnknownFilters(query: QueryValues, isKnown: (name: string) => boolean): void {
  const unknown = [...query.keys()].filter((name) => !FORM.includes(name) && !isKnown(name));
  if (unknown.length > 0)
    throw invalid(
      ...unknown.map((name) => ({
        field: `?${cut(name)}`,
        problem: "is not a filter here; docs/netbox.md lists the filters that Plat knows",
      })),
    );
}

/** Parses a body of one object, or of a list of objects. An absent body is an empty object. */
export function parseNetboxBody<One extends v.GenericSchema, List extends v.GenericSchema>(
  { event }: DialectRequest,
  { one, list }: { readonly one: One; readonly list: List },
): { readonly items: readonly v.InferOutput<One>[]; readonly isList: boolean } {
  const json = event.body ? jsonOf(event) : {};
  const isList = Array.isArray(json);
  const read = checked(isList ? list : one, json);
  return { items: isList ? (read as v.InferOutput<One>[]) : [read as v.InferOutput<One>], isList };
}

/** Parses a body that is a list of objects. */
export const parseNetboxList = <List extends v.GenericSchema>(
  { event }: DialectRequest,
  list: List,
): v.InferOutput<List> => checked(list, event.body ? jsonOf(event) : undefined);

function jsonOf(event: Event): unknown {
  const type = mediaType(event);
  if (!isJson(type)) throw unsupported(type, "application/json");
  return jsonBody(event);
}

/** Throws that an id of a body is that of nothing as a mistake of the request: the path is there. */
export const ofBody = inPlaceOf("not_found", ({ detail }) =>
  invalid({ field: "id", problem: `is wrong: ${asClause(detail)}` }),
);

/** Returns the sentences of a problem as the end of another sentence. */
export const asClause = (detail: string): string => detail.replace(/\.$/, "");
