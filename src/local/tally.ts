/** Counts the outcomes of calls and their times. */
export class Tally {
  /** Outcomes by the code of the problem, or `ok`. */
  readonly outcomes = new Map<string, number>();
  readonly #ms: number[] = [];

  add(outcome: string, ms: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.#ms.push(ms);
  }

  get count(): number {
    return this.#ms.length;
  }

  get ok(): number {
    return this.outcomes.get("ok") ?? 0;
  }

  /** Returns the rejections as text: `pool_exhausted 3, contended 1`. */
  get rejections(): string {
    const rejected = [...this.outcomes].filter(([outcome]) => outcome !== "ok");
    return rejected.map(([code, count]) => `${code} ${count}`).join(", ") || "none";
  }

  /** Returns the time in which a share of the calls ended, in milliseconds. */
  quantileMs(share: number): number {
    const sorted = [...this.#ms].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  }
}

/** Formats rows below their headings, with aligned columns. */
export function tableText(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const lines = [heads, ...rows.map((row) => heads.map((head) => String(row[head] ?? "")))];
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const aligned = (line: readonly string[], isText: readonly boolean[]) =>
    line
      .map((text, i) => (isText[i] ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  const isText = heads.map((head) => typeof rows[0]?.[head] === "string");
  const [head = [], ...others] = lines;
  return [aligned(head, isText), ...others.map((line) => aligned(line, isText))].join("\n");
}
