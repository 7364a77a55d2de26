import { listBlocks } from "../src/allocator/list-blocks.ts";
import { readAddress } from "../src/allocator/read.ts";
import { readBlock } from "../src/allocator/read-block.ts";
import { readHandle } from "../src/allocator/read-handle.ts";
import { utilization } from "../src/allocator/utilization.ts";
import { addressAnswer, handleAnswer } from "../src/edge/address-answer.ts";
import { blockAnswer, blocksAnswer } from "../src/edge/block-answer.ts";
import { readBlockList, readBlockPath } from "../src/edge/block-request.ts";
import { readHandlePage } from "../src/edge/handle-request.ts";
import { http, route } from "../src/edge/http.ts";
import { readAddressPath } from "../src/edge/parameters.ts";
import { utilizationAnswer } from "../src/edge/utilization-answer.ts";
import { readUtilizationPath } from "../src/edge/utilization-request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/addresses/{ip}": route(
    readAddressPath,
    ({ space, address }) => readAddress(plat, space, address),
    addressAnswer,
  ),
  "GET /v1/handles/{handle+}": route(
    readHandlePage,
    (wanted) => readHandle(plat, wanted),
    handleAnswer,
  ),
  "GET /v1/blocks": route(readBlockList, (wanted) => listBlocks(plat, wanted), blocksAnswer),
  "GET /v1/blocks/{cidr+}": route(readBlockPath, (wanted) => readBlock(plat, wanted), blockAnswer),
  "GET /v1/pools/{name}/utilization": route(
    readUtilizationPath,
    (wanted) => utilization(plat, wanted),
    utilizationAnswer,
  ),
});
