import { Rejection } from "../src/base/outcome.ts";
import type { NamedAddress } from "../src/kernel/allocations/identify-address.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { releaseAddress } from "../src/kernel/release/release-address.ts";
import { parseGeneration } from "../src/kernel/values/generation.ts";
import { parseAddress } from "../src/net/address.ts";

/** Assigns addresses; throws if the answer is not an assignment. */
export async function assigned(context: Context, request: AssignRequest): Promise<Assignment> {
  const answer = await assign(context, request);
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

/** Releases or keeps the first address of an assignment, by its generation. */
export async function give(
  context: Context,
  space: string,
  told: Assignment,
  expected: "released" | "kept" = "released",
): Promise<void> {
  const { status } = await releaseAddress(context, space, proofOf(told), expected === "kept");
  if (status !== expected) throw new Error(`the release answered ${status}`);
}

/** Returns the first address of an assignment with its generation. */
export function proofOf({ addresses }: Assignment): NamedAddress {
  const [first] = addresses;
  const address = parseAddress(first?.address ?? "");
  const generation = parseGeneration(first?.generation ?? "");
  if (!address.ok || !generation.ok) throw new Error("an answer that cannot be released");
  return { address: address.value, generation: generation.value };
}
