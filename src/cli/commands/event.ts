import { Command } from "commander";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { EVENTS_PER_REQUEST_MAX } from "../../base/limits.ts";
import { type EventResult, sendEvents } from "../api/events.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/column.ts";
import { counted } from "../output/count.ts";
import { CommandError, capital, EXIT, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

const EXAMPLES = examples(
  ["Send the events in a file", "plat event send events.json"],
  ["Send an event from the standard input", "plat event send -"],
);

export const eventCommand = (io: Io): Command =>
  new Command("event")
    .description("Send events of a Kubernetes watch, or of EventBridge")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(new Command("send"))
        .description("Send events, and print the result of each")
        .argument(
          "<file>",
          "File with one event, with a list of events, or with one event a line; - for stdin",
        )
        .addHelpText("after", EXAMPLES)
        .action(action(io, send)),
    );

const COLUMNS: readonly Column<EventResult>[] = [
  { header: "KIND", value: ({ kind }) => kind, long: "cut" },
  { header: "NAME", value: ({ name }) => name, long: "cut" },
  { header: "STATUS", value: ({ status }) => status, isState: true },
  { header: "CODE", value: ({ code }) => code },
  { header: "CIDR", value: ({ podCIDRs }) => podCIDRs?.map(({ cidr }) => cidr).join(",") },
];

async function send({ io, client, print }: Session, _: unknown, file: string): Promise<void> {
  const events = eventsIn(await readInput(io, file));
  if (events.length === 0) throw usageError(`${file} has no event.`);
  const results: EventResult[] = [];
  for (let from = 0; from < events.length; from += EVENTS_PER_REQUEST_MAX) {
    const some = await sendEvents(client, events.slice(from, from + EVENTS_PER_REQUEST_MAX));
    results.push(...some.map((result) => ({ ...result, index: from + result.index })));
  }
  print({ columns: COLUMNS, rows: results, document: { results } });
  const bad = results.filter(({ status }) => status === "failed" || status === "rejected");
  const [first] = bad;
  if (first)
    throw new CommandError(
      EXIT.rejected,
      `${counted(bad.length, "event", "events")} not applied; the first is event ${first.index}: ${first.detail ?? first.status}`,
    );
}

/** Returns the events of a text: one JSON value, or one on each line. */
function eventsIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return entriesOf(whole);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, n) => {
    const value = parsed(line);
    if (value === undefined) throw usageError(`Line ${n + 1} is not a JSON value.`);
    return entriesOf(value);
  });
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RepeatedFieldError) throw usageError(`${capital(error.message)}.`);
    return undefined;
  }
}

function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { events } = (value ?? {}) as { events?: unknown };
  return Array.isArray(events) ? events : [value];
}
