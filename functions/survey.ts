import { readZones } from "../src/allocator/nodes/read-zones.ts";
import { listAlarms } from "../src/allocator/read/list-alarms.ts";
import { listContents } from "../src/allocator/read/list-contents.ts";
import { listOrphans } from "../src/allocator/read/list-orphans.ts";
import { spaceUtilization } from "../src/allocator/read/space-utilization.ts";
import { alarmsAnswer } from "../src/edge/alarms/answer.ts";
import { CONTENTS_BYTES_MAX, contentsAnswer, contentsBytes } from "../src/edge/contents/answer.ts";
import { readContentsWanted } from "../src/edge/contents/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { readSpace } from "../src/edge/http/parameters.ts";
import { zonesAnswer } from "../src/edge/nodes/zones.ts";
import { orphansAnswer, readOrphansWanted, unsealed } from "../src/edge/orphans/list.ts";
import { spaceUtilizationAnswer } from "../src/edge/utilization/answer.ts";
import { readSpaceUtilization } from "../src/edge/utilization/space-request.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/**
 * Serves requests that look at a space as a whole: its contents, its alarms, and the health of its zones. The search for blocks to which
 * nothing leads scans the table.
 */
export const surveyOver = ({ connect }: Wiring) =>
  authorized<"survey">(connect, {
    "GET /v1/contents": route(
      readContentsWanted,
      (plat, wanted) => listContents(plat, wanted, contentsBytes, CONTENTS_BYTES_MAX),
      contentsAnswer,
    ),
    "GET /v1/orphans": route(
      readOrphansWanted,
      async (plat, wanted) => {
        const key = await plat.store.readCursorKey();
        return { ...(await listOrphans(plat, unsealed(wanted, key))), key };
      },
      orphansAnswer,
    ),
    "GET /v1/alarms": route(readSpace, (plat, space) => listAlarms(plat, space), alarmsAnswer),
    "GET /v1/zones": route(readSpace, (plat, space) => readZones(plat, space), zonesAnswer),
    "GET /v1/utilization": route(
      readSpaceUtilization,
      (plat, wanted) => spaceUtilization(plat, wanted),
      spaceUtilizationAnswer,
    ),
  });

export const handler = deployed(surveyOver);
