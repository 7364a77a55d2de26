import type { NodeIncarnation, NodeReport } from "./node-report.ts";
import type { Tombstone } from "./tombstone.ts";

/** The objects of one node's name, as far as they are known. */
export interface NodeLife {
  readonly report: NodeReport | undefined;
  readonly tombstones: readonly Tombstone[];
}

/** The word of an event about a node: it is there; its object is gone; its machine is gone. */
export type NodeWord = Pick<NodeIncarnation, "uid"> & {
  /** The cluster whose word it is; absent if its event named none, or for the word of a cloud. */
  readonly cluster?: string;
} & ((NodeIncarnation & { readonly kind: "stated" | "deleted" }) | { readonly kind: "terminated" });

/** A tombstone to write, over the one that was seen. */
export interface NewTombstone extends NodeIncarnation {
  readonly seen: Tombstone | undefined;
  readonly by: Tombstone["by"];
  /** True if its time begins anew. */
  readonly isAnew: boolean;
}

/** The consequences of an event. */
export interface Verdict {
  /**
   * `freeing`: the repair run is ending this object, so the event must come again. `foreign`: another cluster reports a
   * node of this name, so the event changes nothing.
   */
  readonly status: "applied" | "stale" | "freeing" | "foreign";
  readonly endings: readonly NewTombstone[];
  /** The tombstone that the event proves wrong. */
  readonly revived?: Tombstone;
  /** True if the report, the labels and the machine of the event are written. */
  readonly registers: boolean;
  /** The uids whose report, node and machine go. */
  readonly leaving: readonly string[];
}

/**
 * Judges an event by what is known of the objects of its node's name. Events come late, twice and in any order. The same
 * events lead to the same objects in every order, for these reasons:
 *
 * - Of one uid the higher resourceVersion counts, for its end as well. A watch with a selector reports the end of an
 *   object that left the selection, so a higher one revives it. The end of a machine is final.
 *   So does a report of a higher one, whose author came between.
 * - Of two uids the later creation counts. Plat ends the earlier object as `replaced`, and no event revives it.
 * - A name belongs to the cluster that reports it, until that node ends. What other clusters say of it counts for nothing.
 */
export function judgeNode(life: NodeLife, word: NodeWord): Verdict {
  if (isForeign(life, word.cluster))
    return { status: "foreign", endings: [], registers: false, leaving: [] };
  const wrong = life.tombstones.find((tombstone) => isProvenWrong(life, tombstone));
  if (!wrong) return judgeKnown(life, word);
  const tombstones = life.tombstones.filter((tombstone) => tombstone !== wrong);
  const verdict = judgeKnown({ ...life, tombstones }, word);
  const isEnded = verdict.endings.some(({ uid }) => uid === wrong.uid);
  if (!isEnded) return { ...verdict, revived: wrong };
  const endings = verdict.endings.map((ending) =>
    ending.uid === wrong.uid ? { ...ending, seen: wrong } : ending,
  );
  return { ...verdict, endings };
}

/** Returns true if another cluster reports the node. An event or a report that names no cluster is of any. */
export const isForeign = ({ report }: Pick<NodeLife, "report">, cluster: string | undefined) =>
  cluster !== undefined && report?.cluster !== undefined && report.cluster !== cluster;

/** Returns true if the object of a tombstone has spoken since. */
export const isProvenWrong = ({ report }: NodeLife, tombstone: Tombstone): boolean =>
  tombstone.by === "deleted" &&
  tombstone.state !== "freeing" &&
  report?.uid === tombstone.uid &&
  isLater(report, tombstone);

function judgeKnown(life: NodeLife, word: NodeWord): Verdict {
  switch (word.kind) {
    case "stated":
      return judgeStated(life, word);
    case "deleted":
      return judgeDeleted(life, word);
    case "terminated":
      return judgeTerminated(life, word.uid);
    default:
      return word satisfies never;
  }
}

const stale = (word: Pick<NodeIncarnation, "uid">, own: Tombstone | undefined): Verdict => ({
  status: "stale",
  endings: [],
  registers: false,
  // The author of the end may have crashed before this.
  leaving: own ? [word.uid] : [],
});

function judgeStated(life: NodeLife, word: NodeIncarnation): Verdict {
  const { report, tombstones } = life;
  const own = tombstoneOf(life, word.uid);
  if (own?.by === "machine") return stale(word, own);
  if (own?.by === "replaced") {
    if (!isLater(word, own)) return stale(word, own);
    const { by, createdAtMs, uid } = own;
    const { resourceVersion } = word;
    // It still speaks, so two clusters may share the name by mistake: time to notice it.
    const ending = { seen: own, by, uid, resourceVersion, createdAtMs, isAnew: true };
    const isOpen = own.state === "quarantined";
    return { ...stale(word, own), endings: isOpen ? [ending] : [] };
  }
  if (own && !isLater(word, own)) return stale(word, own);
  const isOwnReport = report?.uid === word.uid;
  if (isOwnReport && isLater(report, word)) return stale(word, undefined);
  const known = [...tombstones, ...(report ? [report] : [])].filter(({ uid }) => uid !== word.uid);
  if (known.some((other) => isNewer(other, word))) {
    if (own) return stale(word, own);
    const ending = {
      seen: undefined,
      by: "replaced",
      ...incarnationOf(word),
      isAnew: true,
    } as const;
    return { ...stale(word, undefined), endings: [ending], leaving: [word.uid] };
  }
  if (own?.state === "freeing") return { ...stale(word, undefined), status: "freeing" };
  return {
    status: "applied",
    endings: replacedIn(life, word),
    ...(own && { revived: own }),
    registers: true,
    leaving: [],
  };
}

function judgeDeleted(life: NodeLife, word: NodeIncarnation): Verdict {
  const { report } = life;
  const own = tombstoneOf(life, word.uid);
  if (own?.by === "machine") return stale(word, own);
  if (own?.by === "deleted" && !isLater(word, own)) return stale(word, own);
  if (report?.uid === word.uid && isLater(report, word)) return stale(word, undefined);
  const last = own && isLater(own, word) ? own : word;
  const replaced = replacedIn(life, word);
  const isAnew = own === undefined || own.by === "replaced";
  const ending = { seen: own, by: "deleted", ...incarnationOf(last), isAnew } as const;
  return {
    status: "applied",
    endings: [ending, ...replaced],
    registers: false,
    leaving: [word.uid, ...replaced.map(({ uid }) => uid)],
  };
}

function judgeTerminated(life: NodeLife, uid: string): Verdict {
  const own = tombstoneOf(life, uid);
  const known = own ?? (life.report?.uid === uid ? life.report : undefined);
  if (!known || own?.by === "machine") return stale({ uid }, own);
  const ending = {
    seen: own,
    by: "machine",
    ...incarnationOf(known),
    isAnew: own?.by !== "deleted",
  } as const;
  return { status: "applied", endings: [ending], registers: false, leaving: [uid] };
}

/** Returns the end of the object that has the name, if the word is of a later one. */
function replacedIn(life: NodeLife, word: NodeIncarnation): readonly NewTombstone[] {
  const { report } = life;
  if (!report || report.uid === word.uid || !isNewer(word, report)) return [];
  const seen = tombstoneOf(life, report.uid);
  if (seen) return [];
  return [{ seen, by: "replaced", ...incarnationOf(report), isAnew: true }];
}

const tombstoneOf = ({ tombstones }: NodeLife, uid: string) =>
  tombstones.find((tombstone) => tombstone.uid === uid);

const incarnationOf = ({ uid, resourceVersion, createdAtMs }: NodeIncarnation) => ({
  uid,
  resourceVersion,
  createdAtMs,
});

/** Returns true if one state of an object is later than another. */
export const isLater = (
  one: Pick<NodeIncarnation, "resourceVersion">,
  other: Pick<NodeIncarnation, "resourceVersion">,
): boolean => BigInt(one.resourceVersion) > BigInt(other.resourceVersion);

/** Returns true if an object was created after another one of its name. */
const isNewer = (one: NodeIncarnation, other: NodeIncarnation): boolean =>
  one.createdAtMs === other.createdAtMs ? isLater(one, other) : one.createdAtMs > other.createdAtMs;
