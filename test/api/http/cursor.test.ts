import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { openCursor, sealCursor } from "../../../src/api/http/cursor.ts";
import { rejectedFields } from "../problem-of.ts";

const OF = ["blocks", "default", null, "host:node-1"];
const position = v.object({ after: v.string() });
const open = (text: string | undefined, of: readonly unknown[] = OF) =>
  openCursor(text, of, position);

const NO_CURSOR = "?cursor: is not a cursor; send the `next` of the previous page";

describe("a cursor", () => {
  it("says again where its page ended, in characters that a URL may have", () => {
    const sealed = sealCursor(OF, { after: "h#1 ü/?" });
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(open(sealed)).toEqual({ position: { after: "h#1 ü/?" } });
  });

  it("is not needed for the first page", () => {
    expect(open(undefined)).toEqual({ position: undefined });
  });

  it.each([
    ["another list", ["handle", "default", "h"]],
    ["another space", ["blocks", "blue", null, "host:node-1"]],
    ["another host", ["blocks", "default", null, "host:node-2"]],
    ["no host", ["blocks", "default", null, null]],
  ])("of %s is rejected by its name", (_, of) => {
    expect(rejectedFields(() => open(sealCursor(of, { after: "a" })))).toEqual([
      expect.stringContaining("?cursor: belongs to another list"),
    ]);
  });

  it.each([
    ["nothing", ""],
    ["no base64", "???"],
    ["no JSON", Buffer.from("{").toString("base64url")],
    ["JSON of something else", Buffer.from('"x"').toString("base64url")],
    ["no position", Buffer.from(JSON.stringify({ of: OF })).toString("base64url")],
    ["a position of another shape", sealCursor(OF, { after: 7 })],
    ["half of one", sealCursor(OF, { after: "a" }).slice(0, -9)],
  ])("that is %s is rejected by its name", (_, text) => {
    expect(rejectedFields(() => open(text))).toEqual([NO_CURSOR]);
  });
});
