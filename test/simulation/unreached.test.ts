import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EXCUSES } from "./unreached.ts";

const FOLDER = new URL("../../src/", import.meta.url);
const packed = (text: string) => text.replace(/\s+/g, "");

it("every branch that the simulation may leave out is a branch of the source", () => {
  const stale = EXCUSES.flatMap(({ branches }) => branches).filter(([file, text]) => {
    const path = new URL(file, FOLDER);
    const source = existsSync(path) ? packed(readFileSync(path, "utf8")) : "";
    return !source.includes(packed(text.replace(/^not: /, "")));
  });
  expect(stale).toEqual([]);
});
