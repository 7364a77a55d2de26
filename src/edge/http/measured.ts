import { withoutSpace } from "../../contract/routes/space-path.ts";
import { publish } from "../metrics/publish.ts";
import type { Handler } from "./http.ts";

/**
 * Returns a handler that publishes the latency of each request by its operation and the class of its status, such as
 * `2xx`. The operation is the key of its route without a space, such as `POST /v1/assign`.
 */
export function measured(serve: Handler): Handler {
  return async (event) => {
    const startedAtMs = performance.now();
    const answer = await serve(event);
    const { statusCode = 200, body = "" } = answer;
    publish(
      {
        operation: withoutSpace(event.routeKey).replace(/^HEAD /, "GET "),
        status: `${Math.floor(statusCode / 100)}xx`,
      },
      { Latency: Math.round(performance.now() - startedAtMs) },
    );
    // Without the operation, so that one alarm covers all of them.
    if (statusCode === 409 && body.includes('"code":"unreadable"'))
      publish({}, { UnreadableItems: 1 });
    return answer;
  };
}
