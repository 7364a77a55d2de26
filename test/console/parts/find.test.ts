import { expect, it } from "vitest";
import type { Api } from "../../../console/src/api/api.ts";
import { Rejection } from "../../../console/src/api/rejection.ts";
import { find } from "../../../console/src/search/find.ts";

/** An API that has these paths alone. */
const apiWith = (bodies: Readonly<Record<string, unknown>>): Api =>
  ({
    get: (path: string) =>
      path in bodies
        ? Promise.resolve(bodies[path])
        : Promise.reject(new Rejection(404, "not found")),
  }) as unknown as Api;

it("an address is found with the host and the handle that have it as their name", async () => {
  const name = "10.1.2.3";
  const address = { address: name, state: "free", pool: "main" };
  const api = apiWith({
    [`addresses/${name}`]: address,
    [`nodes/${name}`]: {},
    [`handles/${name}`]: { addresses: [{ address: "10.0.0.9" }] },
  });
  const found = await find(api, name, new AbortController().signal);
  expect(found.map(({ kind, name: of }) => `${kind} ${of}`)).toEqual([
    `Address ${name}`,
    `Host ${name}`,
    `Handle ${name}`,
  ]);
});
