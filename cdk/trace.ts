/**
 * `npm run trace -- index.mjs.map < trace.txt`: copies a stack trace of a function, and adds the source line behind
 * each place in its bundle. The map is beside the bundle, in the package of a version that `aws lambda get-function`
 * returns.
 */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { text } from "node:stream/consumers";

const PLACE = /[^\s(]*index\.mjs:(\d+):(\d+)/g;

const [, , file] = process.argv;
if (file === undefined) {
  console.error("Say which source map: npm run trace -- index.mjs.map < trace.txt");
  process.exitCode = 2;
} else {
  const map = new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  const trace = await text(process.stdin);
  process.stdout.write(
    trace.replaceAll(
      PLACE,
      (place, line, column) => sourceOf(map, Number(line), Number(column)) ?? place,
    ),
  );
}

/** Returns the source of a place, from the root of the repository. */
function sourceOf(map: SourceMap, line: number, column: number): string | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry)) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
