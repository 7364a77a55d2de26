import { inParallel } from "../kernel/core/parallel.ts";
import type { ItemChange } from "../table/change-log.ts";
import { eventText } from "./domain-event.ts";
import type { History, Holder } from "./history.ts";
import type { ToldChange } from "./told.ts";

export interface HistoryKept {
  readonly told: readonly ToldChange[];
  /** The changes of allocations of which later events may need a copy. */
  readonly copied: readonly ItemChange[];
  readonly historyKeptMs: number;
  readonly writesAtOnce: number;
}

/** Writes the entries of what was told, the last holder of each address, and copies of allocations. */
export async function keepHistory(
  history: History,
  { told, copied, historyKeptMs, writesAtOnce }: HistoryKept,
): Promise<void> {
  const kept = told.flatMap(({ kept, events }) => (kept ? [{ ...kept, events }] : []));
  const holders = new Map<string, () => Promise<void>>();
  for (const { space, address, holder } of kept)
    if (holder !== undefined)
      holders.set(`${space} ${address}`, () => keepHolder(history, { space, address, holder }));
  const writes = [
    ...copied.map((change) => () => history.putCopy(change)),
    ...kept.flatMap(({ space, address, handleHash, events }) =>
      events.flatMap((each) => {
        const entry = {
          position: { ...each, address },
          text: eventText(each),
          untilMs: each.atMs + historyKeptMs,
        };
        return history.entriesOf(entry, [
          { space, address },
          { space, handleHash },
        ]);
      }),
    ),
    ...holders.values(),
  ];
  await inParallel(writes, writesAtOnce, (write) => write());
}

const keepHolder = (
  history: History,
  {
    space,
    address,
    holder,
  }: { readonly space: string; readonly address: string; readonly holder: Holder | null },
) => (holder ? history.putHolder(space, holder) : history.deleteHolder(space, address));
