import { SCHEDULED_RUN_MS_MAX } from "../../src/domain/limits.ts";
import type { Sabotage } from "./lambda.ts";
import { type LargeCloud, type NewCloud, newCloud } from "./scene.ts";

/** The size of the scenes: as the facts state it, or smaller, for every change. */
export type Form = "full" | "small";

/** Something that a user may count on, at a size, and how it is measured. */
export interface Fact {
  /** As a user would sign it. */
  readonly name: string;
  readonly size: string;
  /** The most that may be measured. */
  readonly bound: number;
  readonly unit: string;
  /** Takes away what makes it hold: a fact that holds without it says nothing. */
  readonly broken: Sabotage;
  /** Sets the scene and measures. */
  measure(newCloud: NewCloud): Promise<number>;
}

/** A fact as it was measured. */
export interface Finding {
  readonly fact: Fact;
  readonly measured: number;
  readonly holds: boolean;
  /** The duration of each run of a schedule in its scenes, in milliseconds. */
  readonly scheduledRuns: readonly number[];
}

/** The maximum time in which a run ends the work in progress after its time is over. */
const ENDING_MS = 5_000;
/** The most that a run of a schedule may take, in any scene. */
export const RUN_MS_MAX = SCHEDULED_RUN_MS_MAX + ENDING_MS;

export async function find(fact: Fact, sabotage?: Sabotage): Promise<Finding> {
  const clouds: LargeCloud[] = [];
  const measured = await fact.measure(async () => {
    const cloud = await newCloud(sabotage);
    clouds.push(cloud);
    return cloud;
  });
  const scheduledRuns = clouds.flatMap((cloud) => cloud.scheduledRuns);
  return { fact, measured, holds: measured <= fact.bound, scheduledRuns };
}

/** Returns the title of a fact in a list of facts. */
export const titleOf = ({ name, size }: Fact): string => `${name}: ${size}`;
