import { expect, it } from "vitest";
import { ROUTES } from "../../src/contract/routes.ts";
import { NOT_CALLED } from "../operations/calls.ts";
import { idOf, sentByRoute } from "../operations/sent.ts";

it("the catalogue of requests has one for every route, or says why not", async () => {
  const sent = await sentByRoute();
  const missing = new Set(ROUTES.map(idOf).filter((id) => !sent.has(id)));
  expect([...missing].sort()).toEqual(Object.keys(NOT_CALLED).sort());
});
