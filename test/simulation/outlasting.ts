import {
  CONFIGURATION_FRESH_MS,
  CONFIGURATION_JITTER_MS,
  REQUEST_MS_MAX,
} from "../../src/base/limits.ts";
import { headOf } from "../../src/table/key.ts";
import type { Table, Write } from "../../src/table/table.ts";
import type { Layers } from "./layers.ts";
import type { Surroundings } from "./scheduler.ts";

/** The longest time for which a request acts on the configuration that it has read. */
const READ_MS_MAX = CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS + REQUEST_MS_MAX;

/**
 * Knows the allocations of requests that outlasted their time: they were written so long after their author had read the
 * configuration that, as deployed, the request would have begun no further call (`src/store/stack.ts`). Time in a run
 * leaps, so that cooldowns and graces end within operations. Where requests have a deadline, it knows none.
 */
export class Outlasting {
  readonly #tokens = new Set<string>();
  readonly #areStopped: boolean;

  constructor({ haveDeadlines }: Pick<Layers, "haveDeadlines">) {
    this.#areStopped = haveDeadlines;
  }

  /** Returns the table of a process, whose reads of the configuration and allocations are noted. */
  watched({ table, now }: Surroundings): Table {
    let readAtMs = now();
    return {
      query: (pk, options) => table.query(pk, options),
      scan: (limit, options) => table.scan(limit, options),
      due: (shard, options) => table.due(shard, options),
      get: (key, options) => {
        if (headOf(key.pk) === "VERSION") readAtMs = now();
        return table.get(key, options);
      },
      write: (write) => {
        if (write.step === "create-allocation" && now() - readAtMs > READ_MS_MAX)
          for (const token of tokensIn(write)) this.#tokens.add(token);
        return table.write(write);
      },
    };
  }

  has(token: string): boolean {
    return !this.#areStopped && this.#tokens.has(token);
  }
}

const tokensIn = ({ change }: Write): readonly string[] =>
  change.kind === "put" ? Object.keys(change.item.parts as object) : [];
