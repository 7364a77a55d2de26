import { liftQuarantine } from "../src/allocator/admin/lift-quarantine.ts";
import type { Context } from "../src/allocator/core/context.ts";
import { releaseByHandle } from "../src/allocator/prefixes/release-by-handle.ts";
import { releaseAddresses } from "../src/allocator/release/release-addresses.ts";
import { releaseHandle } from "../src/allocator/release/release-handle.ts";
import { releaseHost } from "../src/allocator/release/release-host.ts";
import { releaseInstance } from "../src/allocator/release/release-instance.ts";
import { reportConflict } from "../src/allocator/release/report-conflict.ts";
import { conflictAnswer, liftedAnswer, readConflict } from "../src/edge/addresses/conflict.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { readAddressPath } from "../src/edge/http/parameters.ts";
import { prefixesReleasedAnswer, readPrefixRelease } from "../src/edge/prefixes/by-handle.ts";
import {
  handleReleasedAnswer,
  type ReleaseRequest,
  readHandleRelease,
  readRelease,
  releaseAnswer,
} from "../src/edge/release/request.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const releaseOver = ({ connect }: Wiring) =>
  authorized<"release">(connect, {
    "POST /v1/release": route(readRelease, release, releaseAnswer),
    "DELETE /v1/handles/{handle+}": route(
      readHandleRelease,
      (plat, { space, handle }) => releaseHandle(plat, space, handle),
      handleReleasedAnswer,
    ),
    "POST /v1/prefixes/release": route(
      readPrefixRelease,
      (plat, release) => releaseByHandle(plat, release),
      prefixesReleasedAnswer,
    ),
    "POST /v1/addresses/{ip}/conflict": route(
      readConflict,
      (plat, { space, named }) => reportConflict(plat, space, named),
      conflictAnswer,
    ),
    "DELETE /v1/addresses/{ip}/conflict": route(
      readAddressPath,
      (plat, { space, address }) => liftQuarantine(plat, space, address),
      liftedAnswer,
    ),
  });

export const handler = deployed(releaseOver);

async function release(plat: Context, request: ReleaseRequest) {
  const { space } = request;
  if ("handle" in request) return releaseHandle(plat, space, request.handle);
  if ("host" in request) return releaseHost(plat, space, request.host);
  if ("instance" in request) return releaseInstance(plat, request.instance);
  return releaseAddresses(plat, space, request.entries, request.keep);
}
