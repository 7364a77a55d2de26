import { describe, expect, it } from "vitest";
import { type Act, type Input, InvalidInput } from "../../../console/src/acts/act.ts";
import { amendments } from "../../../console/src/acts/amendments.tsx";
import { actsOn, createPool } from "../../../console/src/acts/pools.tsx";
import type { Api } from "../../../console/src/api/api.ts";
import type { AddressRead, Pool } from "../../../console/src/api/types.ts";

/** An API that nobody asks: the request of an act is in its line for a shell. */
const NO_API = {} as Api;

const initialOf = ({ fields = [] }: Act): Input =>
  Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial]));

/** Returns the body that an act sends, if these fields are filled in. */
const bodyOf = (act: Act, input: Input): unknown =>
  act.inShell?.({ ...initialOf(act), ...input }, "key").request.body;

const fieldOf = ({ fields = [] }: Act, wanted: string) =>
  fields.find(({ name }) => name === wanted);

function invalidOf(act: Act, input: Input): unknown {
  try {
    return bodyOf(act, input);
  } catch (error) {
    if (error instanceof InvalidInput) return { field: error.field, message: error.message };
    throw error;
  }
}

const POOL = {
  name: "main",
  cidr: "10.0.0.0/24",
  assign: "addresses",
  blockSize: 26,
  disabled: false,
  assignmentMode: "Automatic",
  mtu: 1_400,
} as unknown as Pool;

const changeOf = (pool: Partial<Pool>) =>
  actsOn(NO_API, { value: { ...POOL, ...pool }, version: "1" }).change;

describe("a pool that is changed", () => {
  it("keeps its ranges where it has none any more, because they cannot be dropped", () => {
    expect(bodyOf(changeOf({ ranges: ["10.0.0.1-10.0.0.9"] }), { ranges: "" })).toMatchObject({
      ranges: [],
    });
    expect(bodyOf(changeOf({ ranges: [] }), {})).toMatchObject({ ranges: [] });
  });

  it("has no field for ranges if it was created without them", () => {
    const change = changeOf({});
    expect(fieldOf(change, "ranges")).toBeUndefined();
    expect(bodyOf(change, {})).not.toHaveProperty("ranges");
  });

  it("cannot become a pool of applications, or cease to be one", () => {
    const modesOf = (pool: Partial<Pool>) => fieldOf(changeOf(pool), "assignmentMode")?.choices;
    expect(modesOf({})).toEqual(["Automatic", "Manual"]);
    expect(modesOf({ assignmentMode: "Applications", ranges: [] })).toEqual(["Applications"]);
  });

  it("has its other fields as they were read", () => {
    expect(bodyOf(changeOf({}), {})).toEqual({
      cidr: "10.0.0.0/24",
      assign: "addresses",
      blockSize: 26,
      assignmentMode: "Automatic",
      disabled: false,
      mtu: 1_400,
    });
  });
});

describe("a new pool", () => {
  const create = createPool(NO_API);

  it("can be one of applications", () => {
    const { choices } = fieldOf(create, "assignmentMode") ?? {};
    expect(choices).toEqual(["Automatic", "Manual", "Applications"]);
  });

  it("has no ranges where none are entered", () => {
    expect(bodyOf(create, { ranges: "" })).not.toHaveProperty("ranges");
  });

  it.each([
    ["blockSize", "0x10"],
    ["cooldownSeconds", "5m"],
    ["cooldownSeconds", "-1"],
    ["cooldownSeconds", "1e3"],
  ])("has no number in %s: %j", (field, value) => {
    expect(invalidOf(create, { [field]: value })).toEqual({
      field,
      message: `${field} must be a whole number, and is ${JSON.stringify(value)}.`,
    });
  });

  it("has numbers with spaces around them, and none in a field of spaces", () => {
    const body = bodyOf(create, { blockSize: " 28 ", cooldownSeconds: " " });
    expect(body).toMatchObject({ blockSize: 28 });
    expect(body).not.toHaveProperty("cooldownSeconds");
  });

  it("names the other fields that have a field of their own, and does not overwrite them", () => {
    expect(
      invalidOf(create, { others: '{"mtu": 1400, "disabled": true, "cidr": "::/64"}' }),
    ).toEqual({
      field: "others",
      message: "These fields have a place of their own and cannot be set here: disabled, cidr.",
    });
  });

  it.each(["{", "[]", "1"])("has no other fields in %j", (others) => {
    expect(invalidOf(create, { others })).toMatchObject({ field: "others" });
  });
});

describe("the owners of an address", () => {
  const changeOwners = (owner: AddressRead["owner"]) => {
    const address = { address: "10.0.0.1", owner } as AddressRead;
    const { owners } = amendments(NO_API, address, "g");
    if (!owners) throw new Error("the owners have no act");
    return owners;
  };
  const sent = (owner: AddressRead["owner"], input: Input) =>
    (bodyOf(changeOwners(owner), input) as { owner: unknown }).owner;

  const ODD = [
    { note: "  two spaces  " },
    { note: "a\nb" },
    { note: "a\r" },
    { "a=b": "c" },
    { " a": "b" },
    { note: "" },
    {},
  ];

  it.each(ODD)("%j are not sent where nobody has changed them", (active) => {
    const owner = { active, alternate: { pod: "db-0" } };
    expect(sent(owner, { alternate: "pod=db-1" })).toEqual({ alternate: { pod: "db-1" } });
    expect(() => sent(owner, {})).toThrow("You have changed nothing.");
  });

  it.each(ODD)("%j come back as they were from a text that adds one", (active) => {
    const { initial = "" } = fieldOf(changeOwners({ active }), "active") ?? {};
    const added = initial.startsWith("{")
      ? JSON.stringify({ ...JSON.parse(initial), zone: "b" })
      : `${initial}\nzone=b`;
    expect(sent({ active }, { active: added })).toEqual({ active: { ...active, zone: "b" } });
  });

  it("keep the spaces that a value had, take no others, and end with an empty text", () => {
    const active = { pod: " db-0 " };
    expect(sent({ active }, { active: "pod= db-0 \nzone = b " })).toEqual({
      active: { pod: " db-0 ", zone: "b" },
    });
    expect(sent({ active }, { active: "pod= db-1 " })).toEqual({ active: { pod: "db-1" } });
    expect(sent({ active }, { active: "" })).toEqual({ active: null });
    expect(sent({ active: { "a=b": "c" } }, { active: "" })).toEqual({ active: null });
  });

  it.each(["{", "[]", '{"pod": 1}'])("in JSON are no %j", (text) => {
    expect(() => sent({ active: { "a=b": "c" } }, { active: text })).toThrow(
      "The owner must be a JSON object of texts",
    );
  });
});
