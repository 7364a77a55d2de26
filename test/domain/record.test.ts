import { describe, expect, it } from "vitest";
import { isOver } from "../../src/domain/record.ts";
import { recordWith } from "./builders.ts";

describe("an assignment is over", () => {
  it.each([
    { description: "while it is live", record: recordWith(), over: false },
    { description: "when it was released", record: recordWith({ state: "released" }), over: true },
    {
      description: "when one of its two addresses was given back",
      record: recordWith({ want: 2, given: new Set(["10.0.0.1"]) }),
      over: false,
    },
    {
      description: "when both of its addresses were given back",
      record: recordWith({ want: 2, given: new Set(["10.0.0.1", "10.0.0.2"]) }),
      over: true,
    },
    {
      description: "while an aborted one still has to be given back",
      record: recordWith({ state: "aborted" }),
      over: false,
    },
  ])("$description: $over", ({ record, over }) => {
    expect(isOver(record)).toBe(over);
  });
});
