/** What a command touches of the world; a test hands it one of its own. */
export interface Io {
  /** For programs and people: what was asked for. Text as it is, with its line ends. */
  readonly out: (text: string) => void;
  /** For people: what went wrong. */
  readonly err: (text: string) => void;
  /** How far long work is, where a person looks on. */
  readonly progress: (text: string) => Progress;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Promise<string>;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** What the terminal of the command can show. */
interface Terminal {
  /** The width of stdout, in characters; `undefined` where it is no terminal. */
  readonly columns: number | undefined;
  readonly outHasColors: boolean;
  readonly errHasColors: boolean;
}

export interface Progress {
  readonly update: (text: string) => void;
  readonly done: () => void;
}
