import type { Sabotage } from "./scene.ts";

/** How large the scenes are: as the facts are stated, or smaller, for every change. */
export type Form = "full" | "small";

/** Something that a user may count on, at a size, and how it is measured. */
export interface Fact {
  /** As a user would sign it. */
  readonly name: string;
  readonly size: string;
  /** The most that may be measured. */
  readonly bound: number;
  readonly unit: string;
  /** Sets the scene and measures. @param sabotage what stands in the way of the walks, to see that the fact can fail */
  measure(sabotage?: Sabotage): Promise<number>;
}

/** A fact as it was measured. */
export interface Finding {
  readonly fact: Fact;
  readonly measured: number;
  readonly holds: boolean;
}

export async function find(fact: Fact, sabotage?: Sabotage): Promise<Finding> {
  const measured = await fact.measure(sabotage);
  return { fact, measured, holds: measured <= fact.bound };
}

/** What a fact is called in a list of facts. */
export const titleOf = ({ name, size }: Fact): string => `${name}: ${size}`;
