/** The values of a line that Athena shows as a text with their JSON: attributes of DynamoDB, of any type. */
const AS_TEXT: ReadonlySet<string> = new Set(["before", "after"]);

/**
 * Returns the fields of a type of Hive, each with its path and its plain type: `by.principal string`
 * (https://docs.aws.amazon.com/athena/latest/ug/data-types.html).
 */
export function fieldsOfType(path: string, type: string): readonly string[] {
  const [, kind, inner = ""] = /^(array|struct)<(.*)>$/.exec(type) ?? [];
  if (kind === "array") return fieldsOfType(`${path}[]`, inner);
  if (kind !== "struct") return [`${path} ${type}`];
  return partsOf(inner).flatMap((part) => {
    const [name = ""] = part.split(":");
    return fieldsOfType(`${path}.${name}`, part.slice(name.length + 1));
  });
}

/** Splits the fields of a structure at the commas that are in none of its fields. */
function partsOf(fields: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of fields) {
    depth += Number(character === "<") - Number(character === ">");
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
}

/** Returns the fields of a value of JSON in the same form. */
export function fieldsOfValue(path: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOfValue(`${path}[]`, each));
  if (typeof value !== "object" || value === null) return [`${path} ${typeof value}`];
  return Object.entries(value).flatMap(([name, each]) => {
    const below = path === "" ? name : `${path}.${name}`;
    return AS_TEXT.has(name) ? [`${below} string`] : fieldsOfValue(below, each);
  });
}
