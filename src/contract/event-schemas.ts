import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import { EVENT_TYPES, type EventType } from "../base/event-type.ts";
import { EVENTS } from "../nouns/event/contract/answer.ts";
import { CONVERSION, described, type JsonSchema } from "./schemas.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Events may get more fields, so consumers must accept those that they do not know. */
const TOLERANT = {
  ...CONVERSION,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (valibotSchema.type !== "strict_object") return undefined;
    const { additionalProperties: _, ...rest } = jsonSchema;
    return rest;
  },
} satisfies typeof CONVERSION;

const SCHEMAS = toJsonSchemaDefs(EVENTS, TOLERANT) as Readonly<Record<EventType, JsonSchema>>;

/**
 * Returns the JSON Schema (draft 2020-12) of any event of Plat: as the detail of an event of EventBridge, and in answers
 * of the API.
 */
export const eventSchemas = () => ({
  $schema: DIALECT,
  $id: "urn:plat:event",
  title: "An event of Plat",
  oneOf: EVENT_TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
  $defs: Object.fromEntries(EVENT_TYPES.map((type) => [type, schemaOf(type)])),
});

/** Returns the JSON Schema of the events of a type; nothing if there is no such type. */
export function eventSchemaOf(type: string): object | undefined {
  const known = EVENT_TYPES.find((name) => name === type);
  return known && { $schema: DIALECT, $id: `urn:plat:event:${known}`, ...schemaOf(known) };
}

const schemaOf = (type: EventType) => ({ title: type, ...described(SCHEMAS[type], type) });
