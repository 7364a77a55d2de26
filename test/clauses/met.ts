import { expect } from "vitest";
import { observe } from "./observed.ts";
import { kindOf, nameOf } from "./parts.ts";
import { namesInTable } from "./table.ts";

/** The clauses and fences that walks come by while they are watched. */
export interface Met {
  readonly names: ReadonlySet<string>;
  /** Checks that the table in docs/protocol.md has a line for each, and ends the watch. */
  end(): void;
}

/** Watches all tables of the simulation in this process. */
export function watchClauses(): Met {
  const names = new Set<string>();
  const kinds = new Map<string, Set<string>>();
  const end = observe((write, decision) => {
    for (const clause of write.when) {
      const name = nameOf(clause, write);
      names.add(name);
      kinds.set(name, (kinds.get(name) ?? new Set()).add(kindOf(write)));
    }
    if (decision?.kind === "fence") names.add(decision.name);
  });
  return {
    names,
    end() {
      end();
      const known = namesInTable();
      expect([...names].filter((name) => !known.has(name))).toEqual([]);
      // A part is left out as a whole, so a name that two kinds of writes share must be split into
      // two names.
      expect([...kinds].filter(([, some]) => some.size > 1)).toEqual([]);
    },
  };
}
