import { InvalidArgumentError } from "commander";

/** What options say, as values. What they may not say commander tells, with the option's name and the value. */

export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function flag(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("It must be true or false.");
}

/** `a,b`, or the option several times. */
export const texts = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(","),
];
