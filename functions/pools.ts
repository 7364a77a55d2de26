import { listPools, putPool, readPool } from "../src/allocator/administration.ts";
import { deletePool, drainPool, releasePool } from "../src/allocator/pool-jobs.ts";
import { http, route } from "../src/edge/http.ts";
import { acceptedAnswer } from "../src/edge/job-answer.ts";
import { readNamed, readNamedMatch } from "../src/edge/parameters.ts";
import { poolAnswer, poolList, poolPutAnswer } from "../src/edge/pool-answer.ts";
import { readPoolPut, readPoolRelease } from "../src/edge/pool-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/pools": route(poolList.read, ({ space }) => listPools(plat, space), poolList.answer),
  "GET /v1/pools/{name}": route(
    readNamed,
    ({ space, name }) => readPool(plat, space, name),
    poolAnswer,
  ),
  "PUT /v1/pools/{name}": route(
    readPoolPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      putPool(dryRun ? rehearsal() : plat, space, name, spec, ifMatch),
    poolPutAnswer,
  ),
  "DELETE /v1/pools/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deletePool(dryRun ? rehearsal() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/drain": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      drainPool(dryRun ? rehearsal() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/release-affinities": route(
    readPoolRelease,
    ({ dryRun, ...releasing }) => releasePool(dryRun ? rehearsal() : plat, releasing),
    acceptedAnswer,
  ),
});
