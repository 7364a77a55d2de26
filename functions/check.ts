import { listContents } from "../src/allocator/list-contents.ts";
import { CONTENTS_BYTES_MAX, contentsAnswer, contentsBytes } from "../src/edge/contents-answer.ts";
import { readContentsWanted } from "../src/edge/contents-request.ts";
import { http, route } from "../src/edge/http.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** For operators: it reads the whole table, and answers all that the space has in it. */
export const handler = http({
  "GET /v1/contents": route(
    readContentsWanted,
    (wanted) => listContents(plat, wanted, contentsBytes, CONTENTS_BYTES_MAX),
    contentsAnswer,
  ),
});
