import { putSettings, readSettings } from "../src/allocator/administration.ts";
import { http, route } from "../src/edge/http.ts";
import { readSpace } from "../src/edge/parameters.ts";
import {
  readSettingsPut,
  settingsAnswer,
  settingsPutAnswer,
} from "../src/edge/settings-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/config": route(readSpace, (space) => readSettings(plat, space), settingsAnswer),
  "PUT /v1/config": route(
    readSettingsPut,
    ({ dryRun, space, settings, ifMatch }) =>
      putSettings(dryRun ? rehearsal() : plat, space, settings, ifMatch),
    settingsPutAnswer,
  ),
});
