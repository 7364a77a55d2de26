import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Marks texts for people; where the stream shows no colors, texts stay as they are. */
export interface Style {
  readonly strong: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Returns the style of a stream. The caller knows whether it shows colors, so the stream is not looked at again. */
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
