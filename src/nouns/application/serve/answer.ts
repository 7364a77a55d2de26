import { sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf } from "../../../api/http/event.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { type DryRun, deleted, etagOf, written } from "../../../api/http/write.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { formatAddress } from "../../../net/address.ts";
import type { Application } from "../application.ts";
import { applicationOf } from "../contract/answer.ts";
import type { DeletedApplication, WrittenApplication } from "../operations/written.ts";
import { applicationsOf } from "./request.ts";

export function applicationListAnswer(
  { items, unreadable, next }: ListedPage<Application, string>,
  _requestId: string,
  wanted: { readonly space: string },
): AnswerOf<"GET /v1/applications"> {
  return {
    status: 200,
    body: {
      applications: items.map((application) => applicationOf(application)),
      ...unreadableBody(unreadable),
      ...(next !== undefined && { next: sealCursor(applicationsOf(wanted), { after: next }) }),
    },
  };
}

export function applicationAnswer(
  application: Application,
): AnswerOf<"GET /v1/applications/{namespace}/{kind}/{name}"> {
  return { status: 200, headers: etagOf(application), body: applicationOf(application) };
}

export const applicationPutAnswer = (
  result: WrittenApplication,
  _requestId: string,
  request: DryRun,
): AnswerOf<"PUT /v1/applications/{namespace}/{kind}/{name}"> =>
  written(result, request, applicationOf(result.value, result.unfinished), result.value.revision);

export const applicationDeleteAnswer = (
  result: DeletedApplication,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/applications/{namespace}/{kind}/{name}"> => {
  const { released, left } = result.value;
  return deleted(result, request, { released: released.map(formatAddress), left });
};
