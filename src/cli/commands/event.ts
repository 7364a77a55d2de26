import { Command } from "commander";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { EVENTS_PER_REQUEST_MAX } from "../../base/limits.ts";
import { type Answer, type PlatClient, PlatError } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { tellingResult } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { CommandError, capital, EXIT, usageError } from "../shell/exit.ts";
import { addedTo } from "../shell/failed-call.ts";
import { examples } from "../shell/help.ts";
import { type Line, linesOfStdin, readInput, STDIN } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

const EXAMPLES = examples(
  ["Send the events in a file", "plat event send events.json"],
  [
    "Send the events of a watch as they come",
    "kubectl get nodes --watch --output-watch-events -o json |\n    jq -c --unbuffered . | plat event send -",
  ],
);

export const eventCommand = (io: Io): Command =>
  new Command("event")
    .description("Send events of a Kubernetes watch, or of EventBridge")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(new Command("send"))
        .description(
          "Send events, and print the result of each; those of stdin as they come, one event a line",
        )
        .argument(
          "<file>",
          "File with one event, with a list of events, or with one event a line; - for stdin",
        )
        .addHelpText("after", EXAMPLES)
        .action(action(io, send)),
    );

type EventResult = Answer<"applyEvents">["results"][number];

const COLUMNS: readonly Column<EventResult>[] = [
  { header: "KIND", value: ({ kind }) => kind, long: "cut" },
  { header: "NAME", value: ({ name }) => name, long: "cut" },
  { header: "STATUS", value: ({ status }) => status, isState: true },
  { header: "CODE", value: ({ code }) => code },
  { header: "CIDR", value: ({ podCIDRs }) => podCIDRs?.map(({ cidr }) => cidr).join(",") },
];

async function send(session: Session, _: unknown, file: string): Promise<void> {
  if (file === STDIN) return sendStream(session);
  const { io, client, print } = session;
  const events = eventsIn(await readInput(io, file));
  if (events.length === 0) throw usageError(`${file} has no event.`);
  const results: EventResult[] = [];
  await tellingResult(
    io,
    results,
    () => print({ columns: COLUMNS, rows: results, document: { results } }),
    async (untilInterrupted) => {
      const sent = sentInParts(client, events, 0);
      for await (const some of untilInterrupted(sent)) results.push(...some);
    },
  ).catch((error: unknown) => {
    throw toldOthers(error, results.length);
  });
  const bad = results.filter(isBad);
  if (bad[0]) throw notApplied(bad.length, bad[0]);
}

/**
 * Sends the events of stdin as they come, and prints a line for each result. It reads on when the results are there, so a server that is
 * busy slows the sender. An event that is not applied ends nothing. A line that is no JSON ends it, after the events before it.
 */
async function sendStream({ io, client, printRows }: Session): Promise<void> {
  let sent = 0;
  let badCount = 0;
  let firstBad: EventResult | undefined;
  try {
    for await (const lines of linesOfStdin(io)) {
      const { events, problem } = eventsBefore(lines);
      for await (const rows of sentInParts(client, events, sent)) {
        sent += rows.length;
        printRows({ columns: COLUMNS, rows, document: undefined });
        const bad = rows.filter(isBad);
        badCount += bad.length;
        firstBad ??= bad[0];
      }
      if (problem) throw problem;
    }
  } catch (error) {
    throw toldOthers(error, sent, firstBad && notApplied(badCount, firstBad));
  }
  if (firstBad) throw notApplied(badCount, firstBad);
}

/** Returns the events up to a line that is no JSON, and the error of that line. */
function eventsBefore(lines: readonly Line[]): {
  readonly events: readonly unknown[];
  readonly problem?: CommandError;
} {
  const events: unknown[] = [];
  for (const { number, text } of lines) {
    try {
      events.push(...entriesOf(eventIn(text, number)));
    } catch (error) {
      if (error instanceof CommandError) return { events, problem: error };
      throw error;
    }
  }
  return { events };
}

/**
 * Returns an error that also says how many events have a result, if the API failed, or if a stream ends with a line that is no JSON.
 *
 * @param notApplied the error of events that were not applied before; it decides about the exit code of such a stream
 */
function toldOthers(error: unknown, sent: number, notApplied?: CommandError): unknown {
  const results = counted(sent, "event has a result", "events have a result");
  const said = [`${results}; send the others again.`, ...(notApplied ? [notApplied.message] : [])];
  const others = said.join("\n");
  if (error instanceof PlatError) return addedTo(error, others);
  const isOfLine = error instanceof CommandError && error.exit === EXIT.usage;
  if (!isOfLine || sent === 0) return error;
  return new CommandError(notApplied?.exit ?? error.exit, `${error.message}\n${others}`);
}

/** Sends events, as many in one request as fit, and yields their results. Their indexes count from `before`. */
async function* sentInParts(
  client: PlatClient,
  events: readonly unknown[],
  before: number,
): AsyncGenerator<readonly EventResult[]> {
  for (let from = 0; from < events.length; from += EVENTS_PER_REQUEST_MAX) {
    const some = events.slice(from, from + EVENTS_PER_REQUEST_MAX);
    const { body } = await client.applyEvents({ body: { events: some } });
    yield body.results.map((result) => ({ ...result, index: before + from + result.index }));
  }
}

const isBad = ({ status }: EventResult): boolean => status === "failed" || status === "rejected";

const notApplied = (count: number, { index, detail, status }: EventResult): CommandError =>
  new CommandError(
    EXIT.rejected,
    `${counted(count, "event", "events")} not applied; the first is event ${index}: ${detail ?? status}`,
  );

/** Returns the events of a text: one JSON value, or one on each line. */
function eventsIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return entriesOf(whole);
  return text
    .split("\n")
    .flatMap((line, n) => (line.trim() === "" ? [] : entriesOf(eventIn(line, n + 1))));
}

/** Returns the JSON value in a line. @param number of the line, for the error */
function eventIn(line: string, number: number): unknown {
  const value = parsed(line, `Line ${number}: `);
  if (value === undefined) throw usageError(`Line ${number} is not a JSON value.`);
  return value;
}

function parsed(text: string, where = ""): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RepeatedFieldError) throw usageError(capital(`${where}${error.message}.`));
    return undefined;
  }
}

function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { events } = (value ?? {}) as { events?: unknown };
  return Array.isArray(events) ? events : [value];
}
