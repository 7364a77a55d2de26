import { type Format, type Listing, type Prose, print, rowsPrinter } from "../output/print.ts";
import type { Io } from "../shell/io.ts";

/** The pause between two looks: at least two seconds, and ten times as long as the last look took. */
const PAUSE_MS_MIN = 2_000;
const PAUSE_LOOKS = 10;

type Said = Listing<unknown> | Prose;

/**
 * Prints a result, and then what is new or changed in it, until Ctrl-C.
 *
 * @param look reads the result again and passes it on; its `Io` shows messages at the first look only
 */
export async function watchResult(
  io: Io,
  format: Format,
  look: (io: Io, told: (said: Said) => void) => Promise<void>,
): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupted = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve()),
  );
  const stopListening = io.onInterrupt(() => interruption.abort());
  const told = changesPrinter(io, format);
  const quiet: Io = { ...io, err: () => {}, progress: () => ({ update() {}, done() {} }) };
  try {
    for (let shown = io; !signal.aborted; shown = quiet) {
      const sinceMs = io.nowMs();
      await Promise.race([look(shown, told), interrupted]);
      const tookMs = io.nowMs() - sinceMs;
      await io.sleep(Math.max(PAUSE_MS_MIN, PAUSE_LOOKS * tookMs), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopListening();
  }
}

/** Returns the function that prints a result when it comes first, and after that the rows that are new or changed. */
function changesPrinter(io: Io, format: Format): (said: Said) => void {
  const printRows = rowsPrinter(io, format);
  let before: ReadonlySet<string> | undefined;
  return (said) => {
    const texts = ("text" in said ? [said.document] : said.rows).map((row) => JSON.stringify(row));
    const changed = [...texts.keys()].filter((place) => !before?.has(texts[place] ?? ""));
    if (before === undefined || changed.length > 0) {
      if ("text" in said) {
        if (format === "yaml") io.out("---\n");
        print(io, format, { ...said, inOneLine: true });
      } else printRows(said, changed);
    }
    before = new Set(texts);
  };
}
