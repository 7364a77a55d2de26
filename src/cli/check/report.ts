import * as v from "valibot";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked } from "../../api/schema/schema.ts";
import { formatTime } from "../../base/time.ts";
import type { Owners } from "../../kernel/values/owner.ts";
import { usageError } from "../shell/exit.ts";
import { jsonIn } from "../shell/input.ts";
import type { OwnedAddress } from "../space/contents.ts";
import type { Brake, LeakCandidate } from "./candidates.ts";
import type { SpaceCounts } from "./counts.ts";
import type { Finding } from "./findings.ts";
import { formatCoverage, type Inventory } from "./inventory.ts";
import type { Judged } from "./leak.ts";

/** Reads and writes the report of a check, for a later check and for `plat release --from-report`. */

const KIND = "PlatCheckReport";
const VERSION = 1;

const time = v.pipe(v.string(), v.isoTimestamp("must be a time"));
const attributes = v.record(v.string(), v.string());

const candidate = v.object({
  address: v.pipe(v.string(), v.ip("must be an address")),
  generation: v.string(),
  handle: v.string(),
  host: v.string(),
  affinityType: v.picklist(["host", "virtual"]),
  pool: v.string(),
  attributes: v.optional(attributes),
  alternate: v.optional(attributes),
  reason: v.picklist([
    "pod_not_found",
    "pod_on_another_node",
    "pod_finished",
    "pod_has_other_addresses",
    "node_gone",
  ]),
  together: v.optional(v.literal(true)),
  limited: v.optional(v.literal(true)),
  firstSeenAt: time,
  confirmed: v.boolean(),
});

const report = v.object({
  kind: v.literal(KIND, `must be ${KIND}`),
  version: v.literal(VERSION, `must be ${VERSION}`),
  space: v.string(),
  checkedAt: time,
  brake: v.optional(v.object({ applied: v.boolean() })),
  candidates: v.array(candidate),
});

/** A report as a later command reads it. */
export interface CheckReport {
  /** The file that the report was read from. */
  readonly file: string;
  readonly space: string;
  readonly candidates: readonly LeakCandidate[];
  readonly confirmed: readonly LeakCandidate[];
}

/** The findings of a check, and its inputs. */
export interface CheckResult {
  readonly space: string;
  readonly checkedAtMs: number;
  readonly counts: SpaceCounts;
  readonly problems: readonly Finding[];
  readonly untidy: readonly Finding[];
  readonly notes: readonly Finding[];
  readonly leaks?: Leaks | undefined;
}

/** The leaks that an inventory shows. */
export interface Leaks {
  readonly inventory: Inventory;
  readonly graceSeconds: number;
  readonly brake: Brake;
  readonly candidates: readonly LeakCandidate[];
  readonly confirmed: readonly LeakCandidate[];
}

/** Returns the document of a report, and of `-o json`. */
export function reportOf({ space, checkedAtMs, leaks, ...found }: CheckResult) {
  return {
    kind: KIND,
    version: VERSION,
    space,
    checkedAt: formatTime(checkedAtMs),
    ...found,
    ...(leaks && {
      inventory: inventoryOf(leaks.inventory),
      graceSeconds: leaks.graceSeconds,
      brake: leaks.brake,
    }),
    candidates: leaks ? candidatesOf(leaks) : [],
  };
}

function inventoryOf({ covers, takenAtMs, nodes, pods, ignored }: Inventory) {
  return {
    covers: formatCoverage(covers),
    ...(Number.isFinite(takenAtMs) && { takenAt: formatTime(takenAtMs) }),
    nodes: nodes.size,
    pods: pods.size,
    ignored,
  };
}

/** Returns an address with all its known properties, for programs. */
export function addressDocument({ owner, assignedAtMs, ...rest }: OwnedAddress & Partial<Judged>) {
  return { ...rest, ...attributesOf(owner), assignedAt: formatTime(assignedAtMs) };
}

const attributesOf = ({ active, alternate }: Owners) => ({
  ...(active && { attributes: active }),
  ...(alternate && { alternate }),
});

function candidatesOf({ candidates, confirmed }: Leaks) {
  const sure = new Set(confirmed);
  return candidates.map((one) => {
    const { owner, together, limited, firstSeenAtMs, ...rest } = one;
    return {
      ...rest,
      ...attributesOf(owner),
      ...(together && { together: true as const }),
      ...(limited && { limited: true as const }),
      firstSeenAt: formatTime(firstSeenAtMs),
      confirmed: sure.has(one),
    };
  });
}

/**
 * Reads a report of this space. It ignores candidates that a check first saw while its brake was on, because it did not
 * trust that inventory. Errors: the text is no report, or a report of another space.
 */
export function readReport(file: string, text: string, space: string): CheckReport {
  const result = orProblem(() => checked(report, jsonIn(file, text), "it"));
  if (result instanceof Problem)
    throw usageError(`${file} is not a report of plat check: ${result.detail}`);
  const { space: of, checkedAt, brake, candidates } = result;
  if (of !== space)
    throw usageError(`${file} is of space ${of}, not of ${space}; use --space ${of}.`);
  const trusted = candidates.filter(
    ({ firstSeenAt }) => !brake?.applied || firstSeenAt < checkedAt,
  );
  return {
    file,
    space,
    candidates: trusted.map(candidateOf),
    confirmed: trusted.filter(({ confirmed }) => confirmed).map(candidateOf),
  };
}

function candidateOf({
  attributes: active,
  alternate,
  together,
  limited,
  firstSeenAt,
  confirmed: _,
  ...rest
}: v.InferOutput<typeof candidate>): LeakCandidate {
  return {
    ...rest,
    owner: { ...(active && { active }), ...(alternate && { alternate }) },
    together: together ?? false,
    limited: limited ?? false,
    firstSeenAtMs: Date.parse(firstSeenAt),
  };
}
