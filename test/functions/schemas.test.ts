import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/base/event-type.ts";
import { call } from "./plat.ts";

describe("the schemas of events", () => {
  it("are one JSON Schema, with a part for each type", async () => {
    const { status, body } = await call("GET", "/schemas");
    expect(status).toBe(200);
    expect(body.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(Object.keys(body.$defs)).toEqual(EVENT_TYPES);
  });

  it("come one by one, by the type", async () => {
    const { body } = await call("GET", "/schemas/AddressAssigned");
    expect(body.$id).toBe("urn:plat:event:AddressAssigned");
    expect(body.properties.type).toMatchObject({ const: "AddressAssigned" });
    expect(body.required).toContain("sequence");
  });

  it("of an unknown type are a 404", async () => {
    const { body } = await call("GET", "/schemas/constructor");
    expect(body).toMatchObject({ code: "not_found", detail: expect.stringContaining("/schemas") });
  });
});
