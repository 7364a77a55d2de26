/** What a command touches of the world; a test hands it one of its own. */
export interface Io {
  /** For programs and people: what was asked for. Text as it is, with its line ends. */
  readonly out: (text: string) => void;
  /** For people: what went wrong. */
  readonly err: (text: string) => void;
  /** How far long work is, where a person looks on. */
  readonly progress: (text: string) => Progress;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Promise<string>;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface Progress {
  readonly update: (text: string) => void;
  readonly done: () => void;
}
