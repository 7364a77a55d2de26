import { LOOKS_PER_PAGE, PAGE_MS_MAX } from "../../base/limits.ts";
import type { Context } from "./context.ts";

export type PageBudget = ReturnType<typeof pageBudget>;

/** Returns the budget of a page, so that its answer arrives in time. */
export function pageBudget(context: Context) {
  const startedAtMs = context.now();
  let looks = 0;
  return {
    look(): void {
      looks++;
    },
    get isSpent(): boolean {
      return looks >= LOOKS_PER_PAGE || context.now() - startedAtMs > PAGE_MS_MAX;
    },
  };
}
