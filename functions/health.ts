import { http, route } from "../src/edge/http.ts";
import { SPACE_DEFAULT } from "../src/edge/parameters.ts";
import { Problem } from "../src/edge/problem.ts";
import { context } from "../src/wiring.ts";

const plat = context();

const nothing = () => undefined;

export const handler = http({
  /** The function runs. */
  "GET /healthz": route(nothing, async () => "ok", status),
  /** The function can reach its table. */
  "GET /readyz": route(nothing, readOnce, status),
});

function readOnce() {
  return plat.store.readVersion(SPACE_DEFAULT).then(
    () => "ready",
    () => new Problem("unavailable", "The table cannot be read."),
  );
}

function status(status: string) {
  return { status: 200, body: { status } };
}
