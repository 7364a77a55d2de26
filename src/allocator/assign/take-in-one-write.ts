import type { Rejection } from "../../domain/outcome.ts";
import { answer, RETRY, type Step } from "../core/step.ts";
import { type Assignment, assignment } from "./assignment.ts";
import { type AssignExecution, shortageOf } from "./execution.ts";
import type { SlotSelection } from "./selection.ts";
import { nameParts, takePart } from "./take-part.ts";

/**
 * Takes everything that a request wants with one slot write. This is the short way, which a warm assign takes. The allocation is
 * `live` from the start, because this write alone decides, and the answer comes straight after it.
 *
 * @returns a retry if other callers were faster
 */
export async function takeInOneWrite(
  execution: AssignExecution,
  selection: SlotSelection,
): Promise<Step<Assignment | Rejection>> {
  const named = await nameParts(execution, [selection], "live");
  if (named.kind !== "proceed") return named;
  for (const part of named.next) await takePart(execution, part);
  const { request, written, held } = execution;
  if (!written || held.length === 0) return RETRY;
  return answer(assignment([{ allocation: written, held }], request, shortageOf(execution)));
}
