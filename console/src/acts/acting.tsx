import { useState } from "preact/hooks";
import { useNavigation } from "../state/navigation.tsx";
import type { Act, ActsOfPage } from "./act.ts";
import { ActDialog } from "./dialog.tsx";

/**
 * The buttons for what a user can do on a page, and the dialog of the one that the address names. Plat decides who may:
 * the dialog shows its rejection.
 */
export function Acting(props: {
  readonly acts: ActsOfPage;
  /** Reads the page again, after something was done. */
  reload(): void;
}) {
  const { acts, reload } = props;
  const { place, see } = useNavigation();
  const { act: name = "" } = place.view;
  // The dialog keeps the act with which it was opened, whatever the page reads meanwhile.
  const [opened, setOpened] = useState<{ readonly name: string; readonly act: Act } | undefined>();
  const act =
    opened?.name === name ? opened.act : Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act && opened?.name !== name) setOpened({ name, act });
  if (!act && opened) setOpened(undefined);
  return (
    <>
      <p class="acts">
        {inOrder(acts).map(([key, { label, typed, isMain }]) => (
          <button
            key={key}
            type="button"
            class={typed !== undefined ? "final" : isMain ? "main" : undefined}
            onClick={() => see({ act: key })}
          >
            {label}
          </button>
        ))}
      </p>
      {act && (
        <ActDialog
          key={name}
          act={act}
          close={(isChanged) => {
            see({ act: "" });
            if (isChanged) reload();
          }}
        />
      )}
    </>
  );
}

/** Returns the acts, those last that cannot be undone. */
const inOrder = (acts: ActsOfPage): readonly (readonly [key: string, act: Act])[] =>
  Object.entries(acts).sort(
    ([, a], [, b]) => Number(a.typed !== undefined) - Number(b.typed !== undefined),
  );
