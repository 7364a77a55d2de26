import { sealCursor } from "../../../api/http/cursor.ts";
import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import { hostBody } from "../../../api/http/host.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import type { ListedPage, Page } from "../../../base/listed.ts";
import type { CorruptItemError, Rejection } from "../../../base/outcome.ts";
import type { ClaimedRange } from "../../../kernel/affinities/claim-range.ts";
import type { ReleasedAffinity } from "../../../kernel/affinities/release-range.ts";
import type { EnsuredBlock } from "../../../kernel/assign/ensure-blocks.ts";
import type { HostId } from "../../../kernel/values/host.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { AffinityState } from "../operations/list-affinities.ts";
import {
  type AffinitiesWanted,
  affinityClaimOf,
  affinityListOf,
  affinityReleaseOf,
} from "./request.ts";

interface Whose {
  readonly space: string;
  readonly host: HostId;
}

const told: Teller<BodyOf<"GET /v1/nodes/{node}/affinities">["affinities"][number]> = timed;

export function affinitiesAnswer(
  { items, unreadable, next }: ListedPage<AffinityState, Address>,
  requestId: string,
  wanted: Whose,
): AnswerOf<"GET /v1/nodes/{node}/affinities"> {
  return {
    status: 200,
    body: {
      requestId,
      ...hostBody(wanted.host),
      affinities: items.map((affinity) => told(affinity)),
      ...unreadableBody(unreadable),
      ...pageEnd(affinityListOf(wanted), next),
    },
  };
}

type Claimed = Extract<BodyOf<"POST /v1/nodes/{node}/affinities">, { readonly complete: boolean }>;
const toldClaimed: Teller<Claimed["blocks"][number]> = timed;

export function affinitiesClaimedAnswer(
  claimed: ClaimedRange | readonly EnsuredBlock[],
  requestId: string,
  wanted: AffinitiesWanted,
): AnswerOf<"POST /v1/nodes/{node}/affinities"> {
  const whose = { requestId, ...hostBody(wanted.host) };
  if (!("blocks" in claimed)) return { status: 200, body: { ...whose, blocks: claimed } };
  const { next, blocks, ...range } = claimed;
  return {
    status: 200,
    body: {
      ...whose,
      ...range,
      blocks: blocks.map((block) => toldClaimed(withReason(block))),
      ...("cidr" in wanted && pageEnd(affinityClaimOf(wanted), next)),
    },
  };
}

/** Statuses that a repeat of the request can change. */
const LEFT: ReadonlySet<string> = new Set(["contended", "unreadable"]);

const toldReleased: Teller<BodyOf<"DELETE /v1/nodes/{node}/affinities">["affinities"][number]> =
  timed;

export function affinitiesReleasedAnswer(
  { items, next }: Page<ReleasedAffinity, Address>,
  requestId: string,
  releasing: Whose & { readonly mustBeEmpty: boolean; readonly cidr?: Cidr | undefined },
): AnswerOf<"DELETE /v1/nodes/{node}/affinities"> {
  return {
    status: 200,
    body: {
      requestId,
      ...hostBody(releasing.host),
      affinities: items.map((affinity) => toldReleased(withReason(affinity))),
      complete: !next && items.every(({ status }) => !LEFT.has(status)),
      ...pageEnd(affinityReleaseOf(releasing), next),
    },
  };
}

/** Adds the reason if a quota allows no more, or if the block, or an item that its handling needs, cannot be read. */
function withReason<
  Block extends { readonly unreadable?: CorruptItemError; readonly refused?: Rejection },
>({ unreadable, refused, ...block }: Block) {
  const reason = unreadable?.message ?? refused?.detail;
  return { ...block, ...(reason !== undefined && { reason }) };
}

const pageEnd = (of: readonly unknown[], next: Address | undefined) =>
  next ? { next: sealCursor(of, { after: formatAddress(next) }) } : {};
