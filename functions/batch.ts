import { batch } from "../src/allocator/batch/batch.ts";
import { batchAnswer } from "../src/edge/batch/answer.ts";
import { readBatch } from "../src/edge/batch/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { connected } from "../src/wiring.ts";

export const handler = authorized<"batch">(connected(), {
  "POST /v1/batch": route(readBatch, (plat, { items }) => batch(plat, items), batchAnswer),
});
