import { formatTime } from "../../base/time.ts";
import { counted } from "../output/count.ts";
import { type Column, type Layout, tableText } from "../output/table.ts";
import type { LeakCandidate } from "./candidates.ts";
import type { SpaceCounts } from "./counts.ts";
import type { Finding } from "./findings.ts";
import type { addressDocument, CheckResult, Leaks } from "./report.ts";

/** Prints the findings of a check for people: tables one below the other, and a sentence at the end. */

type Address = ReturnType<typeof addressDocument>;

const COUNTS: readonly Column<SpaceCounts>[] = [
  { header: "POOLS", value: ({ pools }) => pools },
  { header: "BLOCKS", value: ({ blocks }) => blocks },
  { header: "NODES", value: ({ nodes }) => nodes.count },
  { header: "HANDLES", value: ({ handles }) => handles },
  { header: "ASSIGNED", value: ({ assigned }) => assigned },
  { header: "BORROWED", value: ({ borrowed }) => borrowed },
  { header: "COOLING", value: ({ cooling }) => cooling },
];

const NODES: readonly Column<SpaceCounts["nodes"]["top"][number]>[] = [
  { header: "NODE", value: ({ node }) => node },
  { header: "ASSIGNED", value: ({ assigned }) => assigned },
];

const findings = (header: string): readonly Column<Finding>[] => [
  { header, value: ({ kind }) => kind },
  { header: "WHAT", value: ({ message }) => message, long: "wrap" },
];

const CANDIDATES: readonly Column<LeakCandidate & { readonly confirmed: boolean }>[] = [
  { header: "CANDIDATE", value: ({ address }) => address },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "NODE", value: ({ host }) => host, long: "cut" },
  { header: "REASON", value: ({ reason }) => reason },
  { header: "FIRSTSEEN", value: ({ firstSeenAtMs }) => formatTime(firstSeenAtMs), wide: true },
  { header: "CONFIRMED", value: ({ confirmed }) => confirmed },
];

/** Returns the columns of an address: its owner, and with an inventory whether the owner exists. */
const addressColumns = (isJudged: boolean): readonly Column<Address>[] => [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "NODE", value: ({ host }) => host, long: "cut" },
  ...onlyWideIf<Address>(isJudged, [
    { header: "NAMESPACE", value: ({ attributes }) => attributes?.namespace, long: "cut" },
    { header: "POD", value: ({ attributes }) => attributes?.pod, long: "cut" },
  ]),
  ...onlyWideIf<Address>(!isJudged, [
    { header: "OWNER", value: ({ judgement }) => judgement?.verdict },
    { header: "REASON", value: ({ judgement }) => judgement?.reason },
  ]),
  { header: "TYPE", value: ({ attributes }) => attributes?.type, wide: true },
  { header: "BORROWED", value: ({ borrowed }) => borrowed, wide: true },
];

const onlyWideIf = <Row>(isWide: boolean, columns: readonly Column<Row>[]) =>
  isWide ? columns.map((column) => ({ ...column, wide: true as const })) : columns;

export interface Shown {
  readonly allAddresses?: readonly Address[] | undefined;
  readonly problemAddresses: boolean;
}

export function checkText(
  checked: CheckResult,
  { allAddresses, problemAddresses }: Shown,
  layout: Layout,
): string {
  const table = <One>(columns: readonly Column<One>[], rows: readonly One[]): string[] =>
    rows.length === 0 ? [] : [tableText(columns, rows, layout)];
  const { counts, problems, untidy, notes, leaks } = checked;
  const { count, max, median, top } = counts.nodes;
  return [
    ...table(COUNTS, [counts]),
    ...table(NODES, top),
    ...(count > top.length ? [`${counted(count - top.length, "node")} more.\n`] : []),
    ...(count > 0
      ? [
          `A node has at most ${counted(max, "address", "addresses")}, and ${median} in the median.\n`,
        ]
      : []),
    ...table(findings("PROBLEM"), problems),
    ...table(findings("UNTIDY"), untidy),
    ...table(findings("NOTE"), notes),
    ...(problemAddresses ? table(PROBLEM_ADDRESSES, problemAddressesOf(checked)) : []),
    ...(problemAddresses && leaks ? table(CANDIDATES, candidatesOf(leaks)) : []),
    ...(allAddresses ? table(addressColumns(leaks !== undefined), allAddresses) : []),
    ...said(isFound(checked) ? heldSentences(checked) : sentences(checked)),
  ].join("\n");
}

const candidatesOf = ({ candidates, confirmed }: Leaks) => {
  const sure = new Set(confirmed);
  return candidates.map((one) => ({ ...one, confirmed: sure.has(one) }));
};

const PROBLEM_ADDRESSES: readonly Column<{ readonly address: string; readonly kind: string }>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "PROBLEM", value: ({ kind }) => kind },
];

const problemAddressesOf = ({ problems, notes }: CheckResult) =>
  [...problems, ...notes].flatMap(({ kind, addresses = [] }) =>
    addresses.map((address) => ({ address, kind })),
  );

const ALL_HOLDS = "Every invariant holds.";

/** Returns lines as one text; nothing without any. */
const said = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${lines.join("\n")}\n`];

/** Returns true if a check ends with an error, which then says its sentences on stderr. */
export const isFound = ({ problems, leaks }: CheckResult): boolean =>
  problems.length > 0 || (leaks !== undefined && leaks.candidates.length > 0);

/** Returns the sentences about findings, for stderr. */
export const foundSentences = (checked: CheckResult): readonly string[] => {
  const held = heldSentences(checked);
  return sentences(checked).filter((sentence) => !held.includes(sentence));
};

const heldSentences = ({ problems }: CheckResult): readonly string[] =>
  problems.length === 0 ? [ALL_HOLDS] : [];

/** Returns the sentences of a check. */
function sentences(checked: CheckResult): readonly string[] {
  const { problems, untidy, leaks } = checked;
  return [
    ...heldSentences(checked),
    ...(problems.length > 0 ? [`${counted(problems.length, "problem", "problems")}.`] : []),
    ...(untidy.length > 0
      ? [
          `${counted(untidy.length, "leftover", "leftovers")}; the next scheduled run cleans ${untidy.length === 1 ? "it" : "them"} up.`,
        ]
      : []),
    ...(leaks ? leakSentences(leaks) : []),
  ];
}

function leakSentences({ brake, candidates, confirmed, graceSeconds }: Leaks): readonly string[] {
  const checked = `Checked ${counted(brake.judged, "address", "addresses")} against the inventory`;
  const [have, them] = brake.candidates === 1 ? ["has", "it"] : ["have", "them"];
  if (brake.applied)
    return [
      `${checked}: ${brake.candidates} ${have} no owner, which is more than ${brake.percent} %. This looks like an outage or a wrong inventory, so nothing is confirmed.`,
    ];
  if (candidates.length === 0) return [`${checked}: each has an owner.`];
  const limited = candidates.filter((one) => one.limited).length;
  const rest = candidates.length - confirmed.length - limited;
  return [
    `${checked}: ${brake.candidates} ${have} no owner (${confirmed.length} confirmed).`,
    ...(rest > 0
      ? [waiting(graceSeconds, rest === brake.candidates ? them : `the other ${rest}`)]
      : []),
    ...(limited > 0
      ? [
          `${limited} ${limited === 1 ? "was" : "were"} assigned under limitPerHandle and ${limited === 1 ? "is" : "are"} never confirmed, because the handle may use the address again at any moment.`,
        ]
      : []),
  ];
}

const waiting = (graceSeconds: number, what: string): string =>
  graceSeconds === 0
    ? `Nothing is confirmed without a grace period: set --grace-seconds to confirm ${what}.`
    : `To confirm ${what}, run again with --since and an inventory taken at least ${graceSeconds} s later.`;
