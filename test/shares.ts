import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { ProcessorTime } from "./processor-time.ts";
import BUDGETS from "./short/budgets.json" with { type: "json" };

/** How far above its budget a folder may be: figures of one machine differ by a third from run to run. */
const TOLERANCE = 2;

/**
 * Prints at the end of a run which share of the processor each folder took. Its figure is the processor time of its
 * files over that of a fixed loop, which every file runs at its end, so that it means the same on a slow machine and
 * beside other work.
 *
 * After a run of all files of `npm test`, a folder that takes twice its budget in `budgets.json` fails the run. Folders
 * without a budget share that of `others`: which of them pays for modules that a process loads first is chance, and
 * for a folder of few files that is most of its figure.
 */
export default class Shares implements Reporter {
  readonly #budgeted: boolean;
  readonly #files = new Map<string, ProcessorTime>();

  /** @param options `budgeted` is true where all files of `npm test` run */
  constructor({ budgeted = false }: { readonly budgeted?: boolean } = {}) {
    this.#budgeted = budgeted;
  }

  onTestModuleEnd(module: TestModule): void {
    const { processorTime } = module.meta();
    if (processorTime) this.#files.set(relative("test", module.moduleId), processorTime);
  }

  onTestRunEnd(): void {
    const loops = [...this.#files.values()].map(({ loopMs }) => loopMs);
    const loopMs = loops.toSorted((a, b) => a - b)[Math.floor(loops.length / 2)];
    if (loopMs === undefined || loops.length < FILES_MIN) return;
    const folders = new Map<string, number>();
    for (const [file, { fileMs }] of this.#files) {
      const [folder = ""] = file.includes("/") ? file.split("/") : ["test"];
      folders.set(folder, (folders.get(folder) ?? 0) + fileMs);
    }
    const all = [...folders.values()].reduce((sum, ms) => sum + ms, 0);
    const files = [...this.#files].map(([name, { fileMs }]) => [name, fileMs] as const);
    const shares = (of: readonly (readonly [string, number])[]) =>
      of
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, SHOWN_MAX)
        .map(([name, ms]) => `${name} ${((100 * ms) / all).toFixed(1)} %`)
        .join(", ");
    console.log(
      `\n${(all / 1_000).toFixed(0)} s of processor, ${(all / loopMs).toFixed(0)} loops: ${shares([...folders])}\nFiles: ${shares(files)}`,
    );
    if (!this.#budgeted) return;
    const budgets: Readonly<Record<string, number>> = BUDGETS;
    const taken = new Map<string, number>();
    for (const [name, ms] of folders) {
      const key = name in budgets ? name : "others";
      taken.set(key, (taken.get(key) ?? 0) + ms / loopMs);
    }
    for (const [name, loopsTaken] of taken) {
      const budget = budgets[name] ?? 0;
      if (loopsTaken <= TOLERANCE * budget) continue;
      console.error(
        `${name} took ${Math.round(loopsTaken)} loops of processor; its budget in test/short/budgets.json is ${budget}.`,
      );
      process.exitCode = 1;
    }
  }
}

/** Of fewer files the lines say nothing. */
const FILES_MIN = 20;
/** The folders and files of a line. */
const SHOWN_MAX = 20;
