import { readAddress, readHandle } from "../src/allocator/read.ts";
import { addressAnswer, handleAnswer } from "../src/edge/address-answer.ts";
import { http, route } from "../src/edge/http.ts";
import { readAddressPath, readHandlePath } from "../src/edge/parameters.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/addresses/{ip}": route(
    readAddressPath,
    ({ space, address }) => readAddress(plat, space, address),
    addressAnswer,
  ),
  "GET /v1/handles/{handle}": route(
    readHandlePath,
    ({ space, handle }) => readHandle(plat, space, handle),
    handleAnswer,
  ),
});
