import type { Loaded } from "../api/use-load.ts";
import { pause, useLive } from "../state/pause.ts";
import { clock } from "./moment.tsx";

/** The time of the last load, and a way to load again. */
export const Live = ({ loaded }: { readonly loaded: Loaded<unknown> }) => (
  <div class="live">
    <AsOf at={loaded.at} />
    <Pause />
    <button type="button" onClick={loaded.reload}>
      Reload
    </button>
  </div>
);

/** The time of what is seen. */
export const AsOf = ({ at }: { readonly at: Date | undefined }) => (
  <span class="soft" aria-live="off">
    {at ? `As of ${clock(at)}` : "Reading…"}
  </span>
);

/** The choice between pages that follow changes, and pages that stay as they are. */
export function Pause() {
  const isLive = useLive();
  return (
    <button
      type="button"
      class={isLive ? "pause" : "pause main"}
      title={isLive ? "Keep the pages of this tab as they are" : "Follow changes again"}
      onClick={() => pause(isLive)}
    >
      {isLive ? "Pause" : "Resume"}
    </button>
  );
}
