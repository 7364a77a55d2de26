import type { Field } from "./act.ts";

/** Returns the id of the input of a field. */
export const fieldId = ({ name }: Pick<Field, "name">): string => `field-${name}`;

/** A field of a dialog, with its label and hint, and what is wrong with its value. */
export function FieldInput(props: {
  readonly field: Field;
  readonly value: string;
  readonly error?: string | undefined;
  change(value: string): void;
}) {
  const { field, value, error, change } = props;
  const { label, kind, hint, isRequired = false, choices = [] } = field;
  const id = fieldId(field);
  const described = [
    ...(error === undefined ? [] : [`${id}-error`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  const own = {
    id,
    required: isRequired,
    ...(error !== undefined && { "aria-invalid": true }),
    ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
  };
  return (
    <div class={kind === "flag" ? "field flag" : "field"}>
      <label for={id}>{label}</label>
      {kind === "lines" ? (
        <textarea
          {...own}
          rows={3}
          spellcheck={false}
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : kind === "choice" ? (
        <select {...own} value={value} onChange={(event) => change(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : kind === "flag" ? (
        <input
          id={id}
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => change(event.currentTarget.checked ? "true" : "")}
        />
      ) : (
        <input
          {...own}
          inputMode={kind === "number" ? "numeric" : "text"}
          autoComplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="error">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
