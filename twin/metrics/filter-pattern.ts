/** A comparison of a field of a line with a text or a number, as CDK writes it. */
const COMPARISON = /^\{ \$\.(?<path>\w+(?:\.\w+)*) (?:= "(?<text>[^"*]*)"|> (?<number>\d+)) \}$/;

/**
 * Returns the condition of a filter pattern. It knows one comparison of a field in a line of JSON: of a text with `=`, and
 * of a number with `>`. A line that is no JSON, or has another type of value there, does not match
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html).
 *
 * @throws {Error} for any other pattern
 */
export function patternOf(pattern: string): (line: string) => boolean {
  const { path, text, number } = COMPARISON.exec(pattern)?.groups ?? {};
  if (path === undefined) throw new Error(`the filter pattern ${pattern} is not known`);
  return (line) => {
    const value = fieldOf(line, path.split("."));
    if (text !== undefined) return value === text;
    return typeof value === "number" && value > Number(number);
  };
}

function fieldOf(line: string, path: readonly string[]): unknown {
  try {
    return path.reduce((value, name) => value?.[name], JSON.parse(line));
  } catch {
    return undefined;
  }
}
