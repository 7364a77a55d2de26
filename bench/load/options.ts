/** Parses a whole number of the command line, or exits. */
export function whole(option: string, text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isInteger(number)) return number;
  console.error(`--${option} is "${text}"; it must be a whole number.`);
  process.exit(2);
}
