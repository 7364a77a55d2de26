import { releaseAddresses } from "../src/allocator/release/release-addresses.ts";
import { releaseHandle } from "../src/allocator/release/release-handle.ts";
import { releaseHost } from "../src/allocator/release/release-host.ts";
import { http, route } from "../src/edge/http/http.ts";
import {
  type ReleaseRequest,
  readHandleRelease,
  readRelease,
  releaseAnswer,
} from "../src/edge/release/request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "POST /v1/release": route(readRelease, release, releaseAnswer),
  "DELETE /v1/handles/{handle+}": route(readHandleRelease, release, releaseAnswer),
});

async function release(request: ReleaseRequest) {
  const { space } = request;
  if ("handle" in request) return releaseHandle(plat, space, request.handle);
  if ("host" in request) return releaseHost(plat, space, request.host);
  return releaseAddresses(plat, space, request.entries);
}
