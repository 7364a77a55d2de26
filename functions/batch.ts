import { batch } from "../src/allocator/batch/batch.ts";
import { batchAnswer } from "../src/edge/batch/answer.ts";
import { readBatch } from "../src/edge/batch/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = authorized({
  "POST /v1/batch": route(readBatch, ({ items }) => batch(plat, items), batchAnswer),
});
