import { type Contents, joinedContents } from "../../../invariants/contents.ts";
import { findViolations } from "../../../invariants/invariants.ts";
import type { Violation } from "../../../invariants/violation.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { isReleased } from "../../../kernel/values/slot.ts";

const ITEMS_PER_PAGE = 1_000;

/** The contents of a table, and its violations. */
export interface Checked {
  readonly violations: readonly Violation[];
  readonly counts: {
    readonly blocks: number;
    readonly affinities: number;
    readonly allocations: number;
    readonly taken: number;
    /** The taken addresses of pending and aborted allocations. No caller was told of them, and repair frees those that are left. */
    readonly untold: number;
    readonly cooling: number;
  };
}

/** Reads a whole table and proves the invariants over it; `quiet` as in `findViolations`. */
export async function checkTable(
  context: Context,
  options: { readonly quiet?: boolean } = {},
): Promise<Checked> {
  const contents = await readAll(context);
  const slots = contents.blocks.flatMap(({ slots }) => [...slots.values()]);
  const untold = new Set(
    contents.allocations
      .filter(({ state }) => state === "pending" || state === "aborted")
      .flatMap(({ parts }) => parts.map(({ token }) => token)),
  );
  return {
    violations: findViolations(contents, options),
    counts: {
      blocks: contents.blocks.length,
      affinities: contents.affinities.length,
      allocations: contents.allocations.length,
      taken: slots.filter(({ kind }) => kind === "taken").length,
      untold: slots.filter((slot) => slot.kind === "taken" && untold.has(slot.token)).length,
      cooling: slots.filter(isReleased).length,
    },
  };
}

async function readAll({ store }: Context): Promise<Contents> {
  const pages: Contents[] = [];
  let position: string | undefined;
  do {
    const page = await store.scanPage(ITEMS_PER_PAGE, position);
    pages.push(page.contents);
    position = page.next;
  } while (position);
  return joinedContents(pages);
}
