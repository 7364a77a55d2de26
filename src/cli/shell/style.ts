import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colors for texts. Without colors in the stream, the texts stay unchanged. */
export interface Style {
  readonly strong: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Returns the style of a stream. The caller decides whether it shows colors, so `styleText` does not check the stream. */
export function styleOf(hasColors: boolean): Style {
  const paint = (format: Format) => (text: string) =>
    hasColors && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    strong: paint("bold"),
    good: paint("green"),
    warning: paint("yellow"),
    bad: paint("red"),
  };
}
