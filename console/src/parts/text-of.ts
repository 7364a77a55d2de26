/** Returns the value of a field as a text; an empty one for a field that is absent. */
export const textOf = (value: unknown): string =>
  value === undefined
    ? ""
    : typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : Array.isArray(value) && value.every((one) => typeof one === "string")
        ? value.join(", ")
        : JSON.stringify(value);
