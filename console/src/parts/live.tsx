import type { Loaded } from "../api/use-load.ts";
import { useNavigation } from "../state/navigation.tsx";
import { clock } from "./moment.tsx";

/** Returns true if the address of the page asks for its changes. */
export const useLive = (): boolean => useNavigation().place.view.live === "1";

/** The time of the last load, a way to load again, and the choice to follow changes. */
export function Live({ loaded }: { readonly loaded: Loaded<unknown> }) {
  const { see } = useNavigation();
  const isLive = useLive();
  return (
    <div class="live">
      <span class="soft" aria-live="off">
        {loaded.at ? `As of ${clock(loaded.at)}` : loaded.isLoading && "Reading…"}
      </span>
      <label>
        <input type="checkbox" checked={isLive} onChange={() => see({ live: isLive ? "" : "1" })} />{" "}
        Live
      </label>
      <button type="button" onClick={loaded.reload}>
        Reload
      </button>
    </div>
  );
}
