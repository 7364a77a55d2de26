import type { HttpAnswer } from "../api/http/event.ts";
import { UNREAD } from "./contract/bodies.ts";
import { onPage, PAGING } from "./paging.ts";
import type { Operation } from "./request.ts";
import { API_VERSION } from "./status.ts";

/** A list of the dialect, as it tells of itself to `OPTIONS` and in `/api/schema/`. */
export interface ListOf {
  /** The name of one object of the list. */
  readonly name: string;
  readonly filters: readonly string[];
  /** The fields of a new object, with the schema of each; absent for a list that takes none. */
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  /** The values of fields with choices, each with its label. */
  readonly choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type Lists = Readonly<Record<string, ListOf>>;

/** The lists of what Plat does not know. They are empty under each filter. */
export const EMPTY_LISTS: Lists = Object.fromEntries(
  [
    ["dcim/sites", "Site"],
    ["extras/custom-fields", "Custom field"],
    ["ipam/rirs", "RIR"],
    ["ipam/roles", "Role"],
    ["ipam/vlan-groups", "VLAN group"],
    ["ipam/vlans", "VLAN"],
    ["tenancy/tenant-groups", "Tenant group"],
  ].map(([path, name]) => [path, { name, filters: [...PAGING, "id", "name", "q", "slug"] }]),
) as Lists;

/** Answers that there is none, whatever the filters are. */
export const listNone: Operation = async (asked) => onPage(asked, []);

/** Tells what a path takes, and the choices of the fields of its list. */
export function optionsAnswer(methods: readonly string[], list: ListOf | undefined): HttpAnswer {
  const { name = "", fields, choices = {} } = list ?? {};
  const action = Object.fromEntries(
    writable(fields).map((field) => [
      field,
      {
        type: Object.hasOwn(choices, field) ? "choice" : "field",
        required: isRequired(fields, field),
        read_only: false,
        label: labelOf(field),
        ...(choices[field] && {
          choices: Object.entries(choices[field]).map(([value, label]) => ({
            value,
            display_name: label,
          })),
        }),
      },
    ]),
  );
  const body = {
    name: `${name} List`.trim(),
    description: "",
    renders: ["application/json"],
    parses: ["application/json"],
    actions: methods.includes("POST") && fields ? { POST: action } : {},
  };
  return { status: 200, headers: { allow: methods.join(", ") }, body };
}

const writable = (fields: ListOf["fields"] = {}): readonly string[] =>
  Object.keys(fields).filter((field) => fields[field] !== UNREAD);

const isRequired = (fields: ListOf["fields"], field: string): boolean =>
  fields?.[field] !== undefined && fields[field].type !== "optional";

const labelOf = (field: string): string =>
  `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll("_", " ")}`;

/** Describes the dialect in OpenAPI: its paths, the filters of its lists, and the fields of new objects. */
export function schemaAnswer(
  operations: readonly string[],
  lists: Lists,
  base: string,
): HttpAnswer {
  const paths: Record<string, Record<string, object>> = {};
  for (const key of operations) {
    const [method = "", path = ""] = key.split(" ");
    const place = path === "" ? "/api/" : `/api/${path}/`;
    paths[place] = { ...paths[place], [method.toLowerCase()]: operationOf(method, path, lists) };
  }
  const info = { title: "NetBox's dialect of Plat", version: API_VERSION };
  const servers = [{ url: base.replace(/\/api\/$/, "") }];
  return { status: 200, body: { openapi: "3.0.3", info, servers, paths } };
}

function operationOf(method: string, path: string, lists: Lists): object {
  const list = lists[path];
  const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
  const filters = (method === "GET" && list ? list.filters : []).map((name) => ({
    ...{ name, in: "query", schema: { type: "array", items: { type: "string" } } },
  }));
  const fields = writable(list?.fields);
  const properties = Object.fromEntries(fields.map((field) => [field, {}]));
  const required = fields.filter((field) => isRequired(list?.fields, field));
  const schema = { type: "object", properties, ...(required.length > 0 && { required }) };
  return {
    operationId: `${method.toLowerCase()}_${path.replaceAll(/[^a-z]+/g, "_")}`,
    parameters: [...(path.includes("{id}") ? [id] : []), ...filters],
    ...(method === "POST" &&
      list && { requestBody: { content: { "application/json": { schema } } } }),
    responses: { default: { description: "The objects, or a problem" } },
  };
}
