import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { parseSpace } from "../src/api/http/parameters.ts";
import { PAGE_BYTES_MAX } from "../src/base/limits.ts";
import { listAlarms } from "../src/nouns/alarm/operations/list-alarms.ts";
import { alarmsAnswer } from "../src/nouns/alarm/serve/answer.ts";
import { listContents } from "../src/nouns/contents/operations/list-contents.ts";
import { listOrphans } from "../src/nouns/contents/operations/list-orphans.ts";
import { contentsAnswer, contentsBytes } from "../src/nouns/contents/serve/answer.ts";
import {
  orphansAnswer,
  parseOrphansWanted,
  unsealed,
} from "../src/nouns/contents/serve/orphans.ts";
import { parseContentsWanted } from "../src/nouns/contents/serve/request.ts";
import { readZones } from "../src/nouns/node/operations/read-zones.ts";
import { spaceUtilization } from "../src/nouns/utilization/operations/space-utilization.ts";
import { spaceUtilizationAnswer } from "../src/nouns/utilization/serve/answer.ts";
import { parseSpaceUtilization } from "../src/nouns/utilization/serve/space-utilization.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/**
 * Serves requests that look at a space as a whole: its contents, its alarms, and the health of its zones. The search for blocks to which
 * nothing leads scans the table.
 */
export const surveyOver = ({ connect }: Wiring) =>
  authorized<"survey">(connect, {
    "GET /v1/contents": route(
      parseContentsWanted,
      (plat, wanted) => listContents(plat, wanted, contentsBytes, PAGE_BYTES_MAX),
      contentsAnswer,
    ),
    "GET /v1/orphans": route(
      parseOrphansWanted,
      async (plat, wanted) => {
        const key = await plat.store.readCursorKey();
        return { ...(await listOrphans(plat, unsealed(wanted, key))), key };
      },
      orphansAnswer,
    ),
    "GET /v1/alarms": route(parseSpace, (plat, space) => listAlarms(plat, space), alarmsAnswer),
    "GET /v1/zones": route(
      parseSpace,
      (plat, space) => readZones(plat, space),
      (zones) => ({ status: 200, body: zones }),
    ),
    "GET /v1/utilization": route(
      parseSpaceUtilization,
      (plat, wanted) => spaceUtilization(plat, wanted),
      spaceUtilizationAnswer,
    ),
  });

export const handler = deployed(surveyOver);
