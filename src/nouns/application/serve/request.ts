import * as v from "valibot";
import { parseBody } from "../../../api/http/body.ts";
import { openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { inPath, parseQuery } from "../../../api/http/parameters.ts";
import { parseIfMatch } from "../../../api/http/write.ts";
import { DRY_RUN } from "../../../api/query.ts";
import { kindName, namespaceName, resourceName, text } from "../../../api/schema/field.ts";
import { Problem } from "../../../api/schema/problem.ts";
import { type ApplicationName, applicationNamed, nameOfApplication } from "../application.ts";
import { applicationBody, applicationQuery, applicationSpec } from "../contract/request.ts";
import type { ApplicationsWanted } from "../operations/read-applications.ts";

const PARTS = { namespace: namespaceName, kind: kindName, name: resourceName } as const;

/** The application after which a list goes on. Any longer text would be no key of the table. */
const position = v.object({
  after: v.pipe(
    text,
    v.check((after) => {
      const of = applicationNamed(after);
      return v.is(v.object(PARTS), of) && nameOfApplication(of) === after;
    }),
  ),
});

/** Parses the requested page of the list. */
export function parseApplicationList(event: Event): ApplicationsWanted {
  const query = parseQuery(event, applicationQuery);
  const { cursor, ...asked } = query;
  const opened = openCursor(cursor, applicationsOf(asked), position);
  return { ...asked, after: opened.position?.after };
}

/** Returns what a cursor of the list belongs to. */
export const applicationsOf = ({ space }: { readonly space: string }) => ["applications", space];

export const parseApplicationPath = (event: Event) => parseNamed(event, {});

/** Parses a deletion: the application in the path, and the precondition. */
export function parseApplicationMatch(event: Event) {
  const named = parseNamed(event, DRY_RUN);
  return { ...named, ...parseIfMatch(event) };
}

export function parseApplicationPut(event: Event) {
  const input = parseBody(event, applicationBody);
  const asked = parseApplicationMatch(event);
  rejectOtherName(input, asked.of);
  return { ...asked, spec: applicationSpec(input) };
}

/** Parses the application in the path, and the query. */
function parseNamed<Entries extends v.ObjectEntries>(event: Event, entries: Entries) {
  const query = parseQuery(event, entries);
  const of: Record<keyof ApplicationName, string> = { namespace: "", kind: "", name: "" };
  for (const part of ["namespace", "kind", "name"] as const)
    of[part] = inPath(part, PARTS[part], event.pathParameters?.[part]);
  return { ...query, of };
}

/** Rejects a body that names another application than the URL. */
function rejectOtherName(
  body: { readonly [Part in keyof ApplicationName]?: string | undefined },
  of: ApplicationName,
): void {
  for (const field of ["namespace", "kind", "name"] as const) {
    const value = body[field];
    if (value === undefined || value === of[field]) continue;
    const problem = `is not ${of[field]}, the ${field} in the URL`;
    const fields = [{ field, value, problem }];
    throw new Problem("name_mismatch", `${field} ${problem}.`, { fields });
  }
}
