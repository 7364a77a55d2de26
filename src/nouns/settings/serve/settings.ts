import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { type DryRun, etagOf, parseIfMatch, written } from "../../../api/http/write.ts";
import { DRY_RUN } from "../../../api/query.ts";
import type { Written } from "../../../kernel/core/written.ts";
import { settingsBody } from "../contract/request.ts";
import type { Settings } from "../settings.ts";

interface SettingsSeen {
  readonly settings: Settings;
  readonly revision: string | undefined;
}

export function parseSettingsPut(event: Event) {
  const settings = parseBody(event, settingsBody);
  const query = parseQuery(event, DRY_RUN);
  return { ...query, settings, ...parseIfMatch(event) };
}

export function settingsAnswer({ settings, revision }: SettingsSeen): AnswerOf<"GET /v1/config"> {
  return { status: 200, headers: etagOf({ revision }), body: settings };
}

export const settingsPutAnswer = (
  result: Written<{ settings: Settings; revision: string }>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"PUT /v1/config"> =>
  written(result, request, result.value.settings, result.value.revision);
