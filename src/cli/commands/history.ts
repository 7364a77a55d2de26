import { Command } from "commander";
import { EVENTS_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import type { Column } from "../output/table.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const historyCommand = (io: Io): Command =>
  printing(new Command("history"))
    .description("Show who had an address, or which addresses a handle had, the newest event first")
    .argument("[address]", "The address")
    .option("--handle <handle>", "The handle, in place of an address")
    .addHelpText(
      "after",
      examples(
        ["Show who had an address, and who changed it", "plat history 10.0.0.1"],
        ["Show which addresses a handle had", "plat history --handle web-0"],
        ["Also show requests and generations", "plat history 10.0.0.1 -o wide"],
      ),
    )
    .action(action(io, show));

/** Returns a field that only some types of events have. */
const field = (event: HistoryEvent, name: string): string | undefined => {
  const value = (event as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
};

const COLUMNS: readonly Column<HistoryEvent>[] = [
  { header: "AT", value: ({ at }) => at },
  { header: "TYPE", value: ({ type }) => type },
  { header: "ADDRESS", value: (event) => field(event, "address") },
  { header: "HANDLE", value: (event) => field(event, "handle"), long: "cut" },
  { header: "HOST", value: (event) => field(event, "host"), long: "cut" },
  { header: "REASON", value: (event) => field(event, "reason") },
  { header: "BY", value: ({ principal }) => principal, long: "cut" },
  { header: "REQUEST", value: ({ requestId }) => requestId, wide: true },
  { header: "SOURCE IP", value: ({ sourceIp }) => sourceIp, wide: true },
  { header: "GENERATION", value: (event) => field(event, "generation"), wide: true },
];

async function show(
  { io, client, print }: Session,
  { handle }: { readonly handle?: string },
  address?: string,
): Promise<void> {
  const history =
    handle === undefined
      ? await readAddressHistory(client, address ?? neither())
      : address === undefined
        ? await readHandleHistory(client, handle)
        : neither();
  const { events, keptDays } = history;
  print({ columns: COLUMNS, rows: events, document: history });
  if (events.length === 0)
    io.err(
      `Note: no events found. Plat keeps events for ${counted(keptDays, "day")}, and shows new ones after some seconds.\n`,
    );
}

function neither(): never {
  throw usageError("Name an address or --handle, and not both.");
}

type HistoryPage = Answer<"readAddressHistory"> | Answer<"readHandleHistory">;

/** An event of a history. */
type HistoryEvent = HistoryPage["events"][number];

/** All that is kept of a history, the newest first. */
interface History {
  readonly keptDays: number;
  readonly events: readonly HistoryEvent[];
}

const limit = EVENTS_PER_PAGE_MAX;

/** Reads the history of an address. */
const readAddressHistory = (client: PlatClient, ip: string): Promise<History> =>
  joined(client.pages.readAddressHistory({ ip, limit }));

/** Reads the history of a handle. */
const readHandleHistory = (client: PlatClient, handle: string): Promise<History> =>
  joined(client.pages.readHandleHistory({ handle, limit }));

async function joined(pages: AsyncGenerator<HistoryPage, void, undefined>): Promise<History> {
  const events: HistoryEvent[] = [];
  let keptDays = 0;
  for await (const page of pages) {
    events.push(...page.events);
    keptDays = page.keptDays;
  }
  return { keptDays, events };
}
