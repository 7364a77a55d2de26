import { batch } from "../src/allocator/batch/batch.ts";
import { batchAnswer } from "../src/edge/batch/answer.ts";
import { readBatch } from "../src/edge/batch/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const batchOver = ({ connect }: Wiring) =>
  authorized<"batch">(connect, {
    "POST /v1/batch": route(readBatch, (plat, { items }) => batch(plat, items), batchAnswer),
  });

export const handler = deployed(batchOver);
