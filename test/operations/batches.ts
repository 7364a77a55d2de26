import { expect } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { type BatchItem, type BatchResult, batch } from "../../src/kernel/batch/batch.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { addressOf, assigned, requestOf, SPACE } from "../world.ts";
import { type Operation, UNKEYED } from "./operation.ts";

const assignOf = (handle: string): BatchItem => ({
  kind: "assign",
  request: requestOf(handle, 1, "once"),
});

/** Returns the release of all addresses of an answer, as one request of a batch. */
const releaseOf = (told: Assignment | undefined): BatchItem => ({
  kind: "release",
  space: SPACE,
  entries: (told?.addresses ?? []).map(({ address, generation }) => {
    const parsed = parseGeneration(generation);
    if (!parsed.ok) throw new Error(parsed.problem);
    return { address: addressOf(address), generation: parsed.value };
  }),
  keep: false,
});

const served = (results: readonly BatchResult[]): boolean =>
  results.every(
    (result) =>
      (result.kind === "assigned" && !(result.answer instanceof Rejection)) ||
      (result.kind === "released" && result.answer.complete),
  );

const ASSIGNS = [assignOf("a"), assignOf("b")];

/** Batches, whose requests share slot writes. */
export const BATCHES: readonly Operation[] = [
  {
    name: "a batch of assigns over two blocks",
    step: "take-slots",
    walk: (context) => batch(context, ASSIGNS),
    again: async (context) => expect(served(await batch(context, ASSIGNS))).toBe(true),
  },
  {
    name: "a batch of releases of one block",
    step: "free-slots",
    prepare: async ({ calm }) => ({
      one: await assigned(calm, requestOf("one", 1)),
      two: await assigned(calm, requestOf("two", 1, "once")),
      old: await assigned(calm, requestOf("old", 1)),
    }),
    walk: (context, { one, two }) => batch(context, [releaseOf(one), releaseOf(two)]),
    again: "the same",
  },
  {
    name: "a batch of assigns and a release in the same block",
    step: "free-slots",
    prepare: async ({ calm }) => ({
      gone: await assigned(calm, requestOf("gone", 1)),
    }),
    walk: (context, { gone }) => batch(context, [assignOf("a"), releaseOf(gone), assignOf("b")]),
    kept: [],
    again: UNKEYED,
  },
];
