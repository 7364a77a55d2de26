import type {
  DeletedApplication,
  WrittenApplication,
} from "../../allocator/applications/written.ts";
import { compareAddresses, formatAddress } from "../../domain/address.ts";
import type { AddressesWanted, Application } from "../../domain/application.ts";
import { isComplete, type Unfinished, unfinishedOf } from "../../domain/application-changes.ts";
import type { ListedPage } from "../../domain/listed.ts";
import { sealCursor } from "../http/cursor.ts";
import type { AnswerOf } from "../http/event.ts";
import { unreadableBody } from "../http/unreadable.ts";
import { type DryRun, deleted, etagOf, written } from "../http/write-answer.ts";
import { applicationsOf } from "./request.ts";

export function applicationListAnswer(
  { items, unreadable, next }: ListedPage<Application, string>,
  _requestId: string,
  wanted: { readonly space: string },
): AnswerOf<"GET /v1/applications"> {
  return {
    status: 200,
    body: {
      applications: items.map((application) => applicationBody(application)),
      ...unreadableBody(unreadable),
      ...(next !== undefined && { next: sealCursor(applicationsOf(wanted), { after: next }) }),
    },
  };
}

export function applicationAnswer(
  application: Application,
): AnswerOf<"GET /v1/applications/{namespace}/{kind}/{name}"> {
  return { status: 200, headers: etagOf(application), body: applicationBody(application) };
}

export const applicationPutAnswer = (
  result: WrittenApplication,
  _requestId: string,
  request: DryRun,
): AnswerOf<"PUT /v1/applications/{namespace}/{kind}/{name}"> =>
  written(result, request, applicationBody(result.value, result.unfinished), result.value.revision);

export const applicationDeleteAnswer = (
  result: DeletedApplication,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/applications/{namespace}/{kind}/{name}"> => {
  const { released, left } = result.value;
  return deleted(result, request, { released: released.map(formatAddress), left });
};

/** Makes the answer's body. @param unfinished why the last change could not go on, if it could not */
function applicationBody(application: Application, unfinished?: Unfinished) {
  const { replicas, start, addresses, state, listed } = application;
  const { namespace, kind, name } = application;
  const left = unfinished ?? unfinishedOf(application);
  return {
    namespace,
    kind,
    name,
    replicas,
    start,
    ...(addresses && { addresses: addressesBody(addresses) }),
    ...(state !== "active" && { state }),
    members: listed
      .toSorted(
        (a, b) => a.interface.localeCompare(b.interface) || compareAddresses(a.address, b.address),
      )
      .map(({ address, interface: of, state }) => ({
        address: formatAddress(address),
        ...(of !== "" && { interface: of }),
        state,
      })),
    complete: isComplete(application),
    ...(left && { refusal: left }),
  };
}

function addressesBody({ number, interfaces, keep }: AddressesWanted) {
  const [first] = interfaces;
  const isUnnamed = first !== undefined && first.name === "";
  return { number, ...(isUnnamed ? { pools: first.pools } : { interfaces }), keep };
}
