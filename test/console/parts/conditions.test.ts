import { describe, expect, it } from "vitest";
import { conditionsIn } from "../../../console/src/search/conditions.ts";

describe("the conditions of a search", () => {
  it.each([
    ["pool=pods", { pool: "pods" }],
    ["pool=pods  state=cooling", { pool: "pods", state: "cooling" }],
    ["namespace=shop", { "attribute.namespace": "shop" }],
    ['note="two words" cidr=10.0.0.0/24', { "attribute.note": "two words", cidr: "10.0.0.0/24" }],
    ["version=a=b", { "attribute.version": "a=b" }],
  ])("%s are parameters of the API", (text, parameters) => {
    expect(conditionsIn(text)).toEqual({ query: parameters });
  });

  it.each([
    ["namespace=shop namespace=web", "namespace"],
    ["owner=a pool=pods owner=b", "owner"],
  ])("%s has a name twice, and is no search", (text, repeated) => {
    expect(conditionsIn(text)).toEqual({ repeated });
  });

  it.each(["", "pods", "10.0.0.1", "pool=pods web-0", "pool=", "=a", 'a="b'])(
    "%s has other parts, or none",
    (text) => {
      expect(conditionsIn(text)).toBeUndefined();
    },
  );
});
