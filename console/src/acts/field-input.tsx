import type { Field } from "./act.ts";

/** A field of a dialog, with its label and hint. */
export function FieldInput(props: {
  readonly field: Field;
  readonly value: string;
  change(value: string): void;
}) {
  const { field, value, change } = props;
  const { name, label, kind, hint, isRequired = false, choices = [] } = field;
  const id = `field-${name}`;
  const own = {
    id,
    required: isRequired,
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
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
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
