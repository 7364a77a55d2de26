import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { parseAddressPath } from "../src/api/http/parameters.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { releaseAddresses } from "../src/kernel/release/release-addresses.ts";
import { releaseHandle } from "../src/kernel/release/release-handle.ts";
import { releaseHost } from "../src/kernel/release/release-host.ts";
import { releaseInstance } from "../src/kernel/release/release-instance.ts";
import { reportConflict } from "../src/kernel/release/report-conflict.ts";
import { liftQuarantine } from "../src/nouns/address/operations/lift-quarantine.ts";
import {
  conflictAnswer,
  liftedAnswer,
  parseConflict,
} from "../src/nouns/address/serve/conflict.ts";
import {
  handleReleasedAnswer,
  parseHandleRelease,
  parseRelease,
  type ReleaseRequest,
  releaseAnswer,
} from "../src/nouns/address/serve/release.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import { parsePrefixRelease, prefixesReleasedAnswer } from "../src/nouns/prefix/serve/by-handle.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const releaseOver = ({ connect }: Wiring) =>
  authorized<"release">(connect, {
    "POST /v1/release": route(parseRelease, release, releaseAnswer),
    "DELETE /v1/handles/{handle+}": route(
      parseHandleRelease,
      (plat, { space, handle }) => releaseHandle(plat, space, handle),
      handleReleasedAnswer,
    ),
    "POST /v1/prefixes/release": route(
      parsePrefixRelease,
      (plat, release) => releaseByHandle(plat, release),
      prefixesReleasedAnswer,
    ),
    "POST /v1/addresses/{ip}/conflict": route(
      parseConflict,
      (plat, { space, named }) => reportConflict(plat, space, named),
      conflictAnswer,
    ),
    "DELETE /v1/addresses/{ip}/conflict": route(
      parseAddressPath,
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
