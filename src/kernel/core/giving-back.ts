import type { GiveBackMark } from "../../nouns/quota/budget.ts";

/**
 * The state of a function that gives back to one budget: by one write at a time, in a lane that no other function uses if it can be
 * helped. What is to be given back meanwhile waits for the next write.
 */
export interface GivingBack {
  /** The lane, with the mark that it is expected to have: that of the last write of this function. */
  place: Pick<GiveBackMark, "lane" | "seen">;
  /** The beginning of the marks of this function. */
  readonly name: string;
  /** The number of marks so far. */
  marks: number;
  /** Settles when no write is under way. It never rejects. */
  underWay: Promise<unknown>;
  /** The charges that wait for a write, by round. */
  readonly waiting: Map<string, Waiting>;
}

interface Waiting {
  count: number;
  /** Settles with the write that has it. */
  readonly given: Promise<void>;
}
