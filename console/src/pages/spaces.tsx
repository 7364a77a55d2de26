import { useState } from "preact/hooks";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Shown } from "../parts/shown.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { hrefOf } from "../state/place.ts";

/**
 * The ways to the spaces that have pools. They are read when they are asked for: a caller may have no right to the list of all
 * spaces, and one of IAM cannot tell that from a wrong signature.
 */
export function Spaces() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>All spaces</summary>
      {isOpen && <Names />}
    </details>
  );
}

function Names() {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: "" }, (signal) => api.spaces(signal));
  return (
    <Shown loaded={loaded} what="the spaces">
      {(names) => (
        <ul class="found">
          {names.map((name) => (
            <li key={name}>
              <a
                href={hrefOf({ space: name, page: { kind: "overview" } })}
                aria-current={name === space ? "page" : undefined}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}
