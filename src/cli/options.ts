/** What options of a line are read with. */

/** An option that may come several times. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];
