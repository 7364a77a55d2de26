import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { claimAffinities } from "../src/kernel/affinities/claim-range.ts";
import { releaseAffinities, releaseRange } from "../src/kernel/affinities/release-range.ts";
import { ensureBlocks } from "../src/kernel/assign/ensure-blocks.ts";
import {
  affinitiesClaimedAnswer,
  affinitiesReleasedAnswer,
} from "../src/nouns/affinity/serve/answer.ts";
import {
  type AffinitiesWanted,
  parseAffinityClaim,
  parseAffinityRelease,
} from "../src/nouns/affinity/serve/request.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const affinitiesOver = ({ connect }: Wiring) =>
  authorized<"affinities">(connect, {
    "POST /v1/nodes/{node}/affinities": route(
      parseAffinityClaim,
      (plat, wanted: AffinitiesWanted) =>
        "cidr" in wanted ? claimAffinities(plat, wanted) : ensureBlocks(plat, wanted),
      affinitiesClaimedAnswer,
    ),
    "DELETE /v1/nodes/{node}/affinities": route(
      parseAffinityRelease,
      (plat, { cidr, ...releasing }) =>
        cidr ? releaseRange(plat, { ...releasing, cidr }) : releaseAffinities(plat, releasing),
      affinitiesReleasedAnswer,
    ),
  });

export const handler = deployed(affinitiesOver);
