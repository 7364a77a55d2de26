import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { findSourceMap } from "node:module";

/**
 * A branch of the source that a run may take: a block that it enters, or a condition whose block it
 * skips.
 */
export interface Branch {
  /** For example `take.ts`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly within: string;
  /**
   * The source text from the start of the branch; `not:` comes before it if the block is skipped.
   */
  readonly text: string;
}

/** A branch of a file that was run. */
export interface Taken {
  readonly branch: Branch;
  readonly is: boolean;
  /**
   * The branch around this one. While this one has no count of its own, it has the count of the
   * branch around it.
   */
  readonly around: Branch | undefined;
}

/**
 * The names of functions that are no branches of Plat: V8's name for the making of a class, and a
 * helper that the compiler of TypeScript adds.
 */
const NOT_OURS = new Set(["<static_initializer>", "__name"]);
const TEXT_CHARACTERS_MAX = 72;

/**
 * Records which branches of the files in a folder each run takes, as V8 counts them. It must start before the files are
 * loaded, because code that was compiled before has no counters.
 */
export class BranchCoverage {
  readonly #session = new Session();
  readonly #scripts = new Map<string, Script>();
  readonly #isCounted: (file: string) => boolean;
  readonly #folder: string;

  constructor(folder: URL, isCounted: (file: string) => boolean) {
    this.#folder = folder.href;
    this.#isCounted = isCounted;
  }

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Returns every known branch, and whether it was taken since the last call. */
  async take(): Promise<readonly Taken[]> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const taken: Taken[] = [];
    for (const { url, scriptId, functions } of result) {
      const file = url.startsWith(this.#folder) ? url.slice(this.#folder.length) : undefined;
      if (file === undefined || !this.#isCounted(file)) continue;
      const script = this.#scripts.get(url) ?? (await this.#load(url, file, scriptId));
      this.#scripts.set(url, script);
      for (const each of functions)
        if (!NOT_OURS.has(each.functionName)) taken.push(...script.count(each));
    }
    return taken;
  }

  async #load(url: string, file: string, scriptId: string): Promise<Script> {
    await this.#session.post("Debugger.enable");
    const { scriptSource } = await this.#session.post("Debugger.getScriptSource", { scriptId });
    await this.#session.post("Debugger.disable");
    return new Script(url, file, scriptSource);
  }
}

interface Block {
  /** The end of the branch. V8 may join it with the code after it, so the earliest end seen counts. */
  readonly end: number;
  readonly branch: Branch;
  readonly around: Branch | undefined;
  /** The branch that skips the block, if the other case has no block of its own. */
  readonly passed: Branch | undefined;
}

/** Returns the smallest known block around a place. */
function innermost(blocks: ReadonlyMap<number, Block>, at: number): Block | undefined {
  let found = -1;
  for (const [start, { end }] of blocks) if (start < at && at < end && start > found) found = start;
  return blocks.get(found);
}

/** One file as V8 runs it, and how its places map back to the source. */
class Script {
  readonly #url: string;
  readonly #file: string;
  readonly #running: string;
  readonly #source: readonly string[];
  /** The blocks, by the start of their function, then by their own. */
  readonly #blocks = new Map<number, Map<number, Block>>();

  constructor(url: string, file: string, running: string) {
    this.#url = url;
    this.#file = file;
    this.#running = running;
    this.#source = readFileSync(new URL(url), "utf8").split("\n");
  }

  /**
   * Counts the branches of a function. V8 names a block only if its count differs from the count of
   * the block around it. So a block that V8 no longer names was entered as often as the block
   * around it. A block that V8 names for the first time had the count of the block around it until
   * now.
   */
  count({ functionName, ranges: [whole, ...ranges] }: Profiler.FunctionCoverage): Taken[] {
    if (!whole) return [];
    const blocks = this.#blocks.get(whole.startOffset) ?? new Map<number, Block>();
    this.#blocks.set(whole.startOffset, blocks);
    // The ranges start with the outermost, so the last one around a place is the innermost.
    const around = (at: number, before = Number.POSITIVE_INFINITY) =>
      ranges.findLast((r) => r.startOffset <= at && at < r.endOffset && r.startOffset < before) ??
      whole;
    for (const { startOffset: at, endOffset } of [whole, ...ranges]) {
      const known = blocks.get(at);
      const end = Math.min(endOffset, known?.end ?? endOffset);
      const outer = innermost(blocks, at);
      const passed = outer !== undefined && this.#mayBePassedOver(at);
      blocks.set(at, {
        branch: this.#branchAt(functionName, at, ""),
        around: outer?.branch,
        passed: passed ? this.#branchAt(functionName, at, "not: ") : undefined,
        ...known,
        end,
      });
    }
    return [...blocks].flatMap(([at, { branch, around: outer, passed }]) => {
      const { startOffset, count } = around(at);
      const isPassed = startOffset === at && around(at, at).count > count;
      return [
        { branch, around: outer, is: count > 0 },
        ...(passed ? [{ branch: passed, around: undefined, is: isPassed }] : []),
      ];
    });
  }

  /** Returns true if there is no block for the other case. Then skipping this one is a branch of its own. */
  #mayBePassedOver(at: number): boolean {
    const text = this.#running.slice(at, at + 8).trimStart();
    // A loop's head is evaluated more often than the block around it, so the counts prove nothing.
    if (/^(&&|\|\||\?\?)/.test(text)) return !/(for|while)$/.test(this.#beforeParenthesis(at, 1));
    if (this.#running[at - 1] !== ")" || /^(return|throw|continue|break)/.test(text)) return false;
    return this.#beforeParenthesis(at, 0).endsWith("if");
  }

  /** Returns the text before the parenthesis that is open at a place, or that was closed there. */
  #beforeParenthesis(at: number, open: number): string {
    let depth = -open;
    for (let i = at - 1; i >= 0; i--) {
      if (this.#running[i] === ")") depth++;
      if (this.#running[i] === "(" && depth-- === (open ? -1 : 1))
        return this.#running.slice(Math.max(0, i - 5), i);
    }
    return "";
  }

  #branchAt(within: string, at: number, what: string): Branch {
    const before = this.#running.slice(0, at).split("\n");
    const map = findSourceMap(this.#url);
    if (!map) throw new Error(`${this.#url} has no source map`);
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    const { originalLine = 0, originalColumn = 0 } = "originalLine" in entry ? entry : {};
    const text = this.#source.slice(originalLine, originalLine + 3).join(" ");
    return {
      file: this.#file,
      line: originalLine + 1,
      column: originalColumn + 1,
      within,
      text: what + text.slice(originalColumn).replace(/\s+/g, " ").slice(0, TEXT_CHARACTERS_MAX),
    };
  }
}
