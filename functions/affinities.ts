import { claimAffinities } from "../src/allocator/affinities/claim-range.ts";
import { releaseAffinities, releaseRange } from "../src/allocator/affinities/release-range.ts";
import { ensureBlocks } from "../src/allocator/assign/ensure-blocks.ts";
import {
  affinitiesClaimedAnswer,
  affinitiesReleasedAnswer,
} from "../src/edge/affinities/answer.ts";
import {
  type AffinitiesWanted,
  readAffinityClaim,
  readAffinityRelease,
} from "../src/edge/affinities/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = authorized({
  "POST /v1/nodes/{node}/affinities": route(
    readAffinityClaim,
    (wanted: AffinitiesWanted) =>
      "cidr" in wanted ? claimAffinities(plat, wanted) : ensureBlocks(plat, wanted),
    affinitiesClaimedAnswer,
  ),
  "DELETE /v1/nodes/{node}/affinities": route(
    readAffinityRelease,
    ({ cidr, ...releasing }) =>
      cidr ? releaseRange(plat, { ...releasing, cidr }) : releaseAffinities(plat, releasing),
    affinitiesReleasedAnswer,
  ),
});
