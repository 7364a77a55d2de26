import "../../src/local/environment.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { whole } from "../load/options.ts";
import { markdownOf } from "./report.ts";
import { isSection, measureSpeed, SECTIONS, SIZES } from "./run.ts";

/**
 * `npm run bench -- --watch`: compares a few ratios with `bench/watched.json`, in two minutes, and fails if one got worse.
 *
 * `npm run bench [-- --only pairs,growth --rounds 5 --seconds 2 --minutes 9 --out DIR]`: measures the speed of Plat
 * relative to raw conditional writes. The same client sends both to the same table in the same run. It prints Markdown,
 * and writes Markdown, JSON and a plot.
 */

const { values } = parseArgs({
  options: {
    only: { type: "string", default: SECTIONS.join() },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    minutes: { type: "string", default: "9" },
    out: { type: "string", default: "bench/results" },
    watch: { type: "boolean", default: false },
  },
});
if (values.watch) {
  const { watch } = await import("./watch.ts");
  const { text, worse } = await watch();
  console.log(text);
  for (const sentence of worse) console.error(sentence);
  process.exit(worse.length === 0 ? 0 : 1);
}
const only = values.only.split(",");
const unknown = only.find((name) => !isSection(name));
if (unknown !== undefined) {
  console.error(`--only has "${unknown}"; there are ${SECTIONS.join(", ")}.`);
  process.exit(2);
}
const report = await measureSpeed({
  only: only.filter(isSection),
  rounds: whole("rounds", values.rounds),
  ms: 1_000 * whole("seconds", values.seconds),
  minutes: whole("minutes", values.minutes),
  sizes: SIZES,
  say: (line) => console.error(line),
});
const { plotOf } = await import("./plot.ts");
const markdown = markdownOf(report, "speed.svg");
await mkdir(values.out, { recursive: true });
await Promise.all([
  writeFile(join(values.out, "speed.md"), markdown),
  writeFile(join(values.out, "speed.json"), `${JSON.stringify(report, undefined, 2)}\n`),
  writeFile(join(values.out, "speed.svg"), await plotOf(report.lines)),
]);
console.log(markdown);
