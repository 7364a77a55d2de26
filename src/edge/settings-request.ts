import * as v from "valibot";
import type { Written } from "../allocator/administration.ts";
import {
  BLOCK_MIN_AGE_SECONDS_MAX,
  BLOCKS_PER_HOST_MAX,
  COOLDOWN_SECONDS_MAX,
  WARM_BLOCKS_MAX,
} from "../domain/limits.ts";
import type { Settings } from "../domain/pool.ts";
import { SETTINGS_DEFAULT } from "../domain/settings.ts";
import { ADDRESSES_PER_REQUEST_MAX } from "./assign-request.ts";
import { readJson } from "./body.ts";
import { flag, whole, wholeOrNone } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { type DryRun, etagOf, written } from "./operator-answer.ts";
import { DRY_RUN, readQuery } from "./parameters.ts";
import { readIfMatch } from "./preconditions.ts";
import { Problem } from "./problem.ts";
import { checked, fields } from "./schema.ts";

interface SettingsSeen {
  readonly settings: Settings;
  readonly revision: string | undefined;
}

/** What a PUT leaves out is set back to its default. */
export const settingsBody = fields({
  strictAffinity: v.optional(flag, SETTINGS_DEFAULT.strictAffinity),
  autoAllocateBlocks: v.optional(flag, SETTINGS_DEFAULT.autoAllocateBlocks),
  warmBlocksPerHost: v.optional(whole(0, WARM_BLOCKS_MAX), SETTINGS_DEFAULT.warmBlocksPerHost),
  cooldownSeconds: v.optional(whole(0, COOLDOWN_SECONDS_MAX), SETTINGS_DEFAULT.cooldownSeconds),
  blockMinAgeSeconds: v.optional(
    whole(0, BLOCK_MIN_AGE_SECONDS_MAX),
    SETTINGS_DEFAULT.blockMinAgeSeconds,
  ),
  maxBlocksPerHost: v.optional(
    wholeOrNone(1, BLOCKS_PER_HOST_MAX),
    SETTINGS_DEFAULT.maxBlocksPerHost,
  ),
  maxAddressesPerRequest: v.optional(
    whole(1, ADDRESSES_PER_REQUEST_MAX),
    SETTINGS_DEFAULT.maxAddressesPerRequest,
  ),
  allowBareRelease: v.optional(flag, SETTINGS_DEFAULT.allowBareRelease),
  requireRegisteredHosts: v.optional(flag, SETTINGS_DEFAULT.requireRegisteredHosts),
});

export function readSettingsPut(event: Event) {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const settings = checked(settingsBody, json.value);
  if (settings instanceof Problem) return settings;
  const query = readQuery(event, DRY_RUN);
  if (query instanceof Problem) return query;
  const match = readIfMatch(event);
  return match instanceof Problem ? match : { ...query, settings, ...match };
}

export function settingsAnswer({ settings, revision }: SettingsSeen): Answer {
  return { status: 200, headers: etagOf({ revision }), body: settings };
}

export const settingsPutAnswer = (
  result: Written<{ settings: Settings; revision: string }>,
  _requestId: string,
  request: DryRun,
) => written(result, request, result.value.settings, result.value.revision);
