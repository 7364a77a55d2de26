import type { UnreadableItem } from "../api/types.ts";

/** The items of a list that this version of Plat cannot read. */
export function Unreadable({
  items = [],
}: {
  readonly items?: readonly UnreadableItem[] | undefined;
}) {
  if (items.length === 0) return null;
  return (
    <div class="rejected" role="alert">
      <p>
        <strong>This version of Plat cannot read {items.length} of these items.</strong>
      </p>
      <ul>
        {items.map(({ item, reason }) => (
          <li key={item}>
            <code>{item}</code>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
