/** Returns the reporter that writes the results to the file that `REPORT` names, from which CI counts. */
export function report(): ["json", { outputFile: string }][] {
  const { REPORT } = process.env;
  return REPORT === undefined ? [] : [["json", { outputFile: REPORT }]];
}
