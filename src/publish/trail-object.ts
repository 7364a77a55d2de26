import { groupedBy } from "../base/grouped-by.ts";
import type { TrailLine } from "./trail-line.ts";

/** An object of the trail: the lines of one hour out of a batch. */
export interface TrailObject {
  /** `2026/11/24/04`, in UTC. */
  readonly hour: string;
  /** The number and the id of the first line. The same batch has the same name. */
  readonly name: string;
  /** JSON, one line each. */
  readonly text: string;
}

/**
 * Returns the objects of a batch of lines. An object has the lines of one hour, because a query
 * finds objects by their hour.
 */
export function trailObjectsOf(lines: readonly TrailLine[]): readonly TrailObject[] {
  return [...groupedBy(lines, hourOf)].map(([hour, ofHour]) => ({
    hour,
    name: `${ofHour[0]?.sequence}-${ofHour[0]?.id}`,
    text: ofHour.map((line) => `${JSON.stringify(line)}\n`).join(""),
  }));
}

/** Returns `2026/11/24/04` for a line. */
export const hourOf = ({ at }: TrailLine): string => at.slice(0, 13).replaceAll(/[-T]/g, "/");
