/** The surroundings of a command; tests pass their own. */
export interface Io {
  /** Writes the requested output, for programs and people. The text has its line ends. */
  readonly out: (text: string) => void;
  /** Writes messages for people, such as errors. */
  readonly err: (text: string) => void;
  /** Shows the progress of long work on a terminal. */
  readonly progress: (text: string) => ShownProgress;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads stdin as it comes. It reads on when the next part is asked for, so that a slow reader slows the writer. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly nowMs: () => number;
  /** Waits; an aborted signal ends it, and its reason is thrown. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Asks a person to confirm, yes or no; absent if no person can answer. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  /** Runs a function once at Ctrl-C instead of ending the command. Returns the function that stops listening. */
  readonly onInterrupt: (act: () => void) => () => void;
  /** Lets the command finish its work when the reader of its output is gone. Otherwise it ends at once. */
  readonly outlastReader: () => void;
}

/** The capabilities of the terminal. */
interface Terminal {
  /** The width of stdout, in characters; `undefined` if it is no terminal. */
  readonly columns: number | undefined;
  readonly outHasColors: boolean;
  readonly errHasColors: boolean;
}

export interface ShownProgress {
  readonly update: (text: string) => void;
  readonly done: () => void;
}
