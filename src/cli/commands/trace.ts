import { SourceMap, type SourceMapPayload } from "node:module";
import { Command } from "commander";
import { parseJson } from "../../base/json-text.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

const PLACE = /[^\s(]*index\.mjs:(\d+):(\d+)/g;

/** Makes the command that copies a stack trace of a function, with the place in the sources for each in its bundle. */
export const traceCommand = (io: Io): Command =>
  new Command("trace")
    .summary("Show the sources behind a stack trace of a function")
    .description(
      "Copy a stack trace of a deployed function to stdout, with places in the sources instead of places in the bundle.",
    )
    .argument("<map>", "The source map of the function, of the version that is deployed")
    .argument("[trace]", "The trace; - reads stdin", "-")
    .addHelpText(
      "after",
      examples(["Read a trace from a log", "plat trace index.mjs.map trace.txt"]),
    )
    .action(async (file: string, log: string) => {
      const map = mapIn(file, await readInput(io, file));
      const trace = await readInput(io, log);
      io.out(
        trace.replaceAll(
          PLACE,
          (place, line, column) => sourceOf(map, Number(line), Number(column)) ?? place,
        ),
      );
    });

function mapIn(file: string, text: string): SourceMap {
  try {
    return new SourceMap(parseJson(text) as SourceMapPayload);
  } catch (error) {
    throw usageError(`${file} is no source map: ${(error as Error).message}`);
  }
}

/** Returns the source of a place, from the root of the repository. */
function sourceOf(map: SourceMap, line: number, column: number): string | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry)) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
