import { describe, expect, it } from "vitest";
import { withoutSpace } from "../../src/api/route.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { eventOf } from "../api/event.ts";
import { idOf, sentByRoute } from "../operations/sent.ts";
import { sendEvent } from "./call.ts";
import { handlers } from "./plat.ts";

const sent = await sentByRoute();

/** The one parameter that takes several values. */
const LIST = "readUtilizations?pool";

const PARAMETERS = ROUTES.filter(({ path }) => withoutSpace(path) === path)
  .flatMap((route) =>
    Object.keys(route.query ?? {}).map((name) => ({
      id: idOf(route),
      // A search has a parameter for each attribute in place of this one.
      name: name === "attributes" ? "attribute.tenant" : name,
      event: sent.get(idOf(route))?.[0] ?? eventOf(route.method, route.path),
    })),
  )
  .filter(({ id, name }) => `${id}?${name}` !== LIST);

describe.each(PARAMETERS)("the parameter $name of $id", ({ name, event }) => {
  it("is rejected if it is repeated, whatever its values", async () => {
    for (const values of [
      ["x", "y"],
      ["x", "x"],
      ["", ""],
    ]) {
      const rawQueryString = values.map((value) => `${name}=${value}`).join("&");
      const joined = { [name]: values.join(",") };
      const repeated = { ...event, rawQueryString, queryStringParameters: joined };
      expect((await sendEvent(handlers(), repeated)).reply).toMatchObject({
        status: 400,
        body: {
          code: "invalid_request",
          fields: [{ field: `?${name}`, problem: "is repeated: it takes one value" }],
        },
      });
    }
  });
});
