import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A button that copies a text. */
export function Copy(props: {
  /** The name of the button for a screen reader, such as `Copy the generation`. */
  readonly label: string;
  readonly text: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
}) {
  const { label, text, children = "Copy" } = props;
  const [isCopied, setIsCopied] = useState(false);
  return (
    <button
      type="button"
      class={props.class}
      aria-label={label}
      // Absent where the page came without TLS from another machine.
      disabled={!("clipboard" in navigator)}
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setIsCopied(true);
      }}
    >
      {isCopied ? "Copied" : children}
    </button>
  );
}
