import { inParallel } from "../src/allocator/parallel.ts";
import { releaseAddress, releaseHandle } from "../src/allocator/release.ts";
import { releaseHost } from "../src/allocator/release-host.ts";
import { http, route } from "../src/edge/http.ts";
import {
  type ReleaseRequest,
  readHandleRelease,
  readRelease,
  releaseAnswer,
} from "../src/edge/release-request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** Each entry is a handful of calls to the database. */
const ENTRIES_AT_ONCE = 8;

export const handler = http({
  "POST /v1/release": route(readRelease, release, releaseAnswer),
  "DELETE /v1/handles/{handle+}": route(readHandleRelease, release, releaseAnswer),
});

async function release(request: ReleaseRequest) {
  const { space } = request;
  if ("handle" in request) {
    const { handle } = request;
    return { handle, released: await releaseHandle(plat, space, handle) };
  }
  if ("host" in request) {
    const { host } = request;
    return { host, ...(await releaseHost(plat, space, host)) };
  }
  return inParallel(request.entries, ENTRIES_AT_ONCE, async (entry) =>
    "status" in entry ? entry : releaseAddress(plat, space, entry),
  );
}
