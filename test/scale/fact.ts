import { SCHEDULED_RUN_MS_MAX } from "../../src/base/limits.ts";
import type { Sabotage } from "./lambda.ts";
import { type LargeCloud, type NewCloud, newCloud } from "./scene.ts";

/**
 * The size of the scenes: the size that the facts state, or a smaller one for the tests of every
 * change.
 */
export type Form = "full" | "small";

/** A statement that a user can rely on, at a size, and its measurement. */
export interface Fact {
  /** The statement, as users read it. */
  readonly name: string;
  readonly size: string;
  /** The maximum that the measurement may return. */
  readonly bound: number;
  readonly unit: string;
  /** The fault under which the fact must fail. A fact that holds in spite of it proves nothing. */
  readonly broken: Sabotage;
  /** Sets the scene and measures. */
  measure(newCloud: NewCloud): Promise<number>;
}

/** The measurement of a fact. */
export interface Finding {
  readonly fact: Fact;
  readonly measured: number;
  readonly holds: boolean;
  /** The duration of each run of a schedule in its scenes, in milliseconds. */
  readonly scheduledRuns: readonly number[];
}

/** The maximum time in which a run ends the work in progress after its time is over. */
const ENDING_MS = 5_000;
/** The maximum duration of a run of a schedule, in any scene. */
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
