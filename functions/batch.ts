import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { batch } from "../src/kernel/batch/batch.ts";
import { parseBatch } from "../src/nouns/address/serve/batch.ts";
import { batchAnswer } from "../src/nouns/address/serve/batch-answer.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const batchOver = ({ connect }: Wiring) =>
  authorized<"batch">(connect, {
    "POST /v1/batch": route(parseBatch, (plat, { items }) => batch(plat, items), batchAnswer),
  });

export const handler = deployed(batchOver);
