import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Loaded } from "../api/use-load.ts";
import { clock } from "./moment.tsx";
import { Rejected } from "./rejected.tsx";

const SLOW_MS = 2_000;

/**
 * A loaded value, with what is to be said of its load. The last value stays in sight, and in
 * its place, when a later load is rejected.
 */
export function Shown<T>(props: {
  readonly loaded: Loaded<T>;
  /** The thing that is loaded, such as `the pool main`. */
  readonly what: string;
  children(value: T): ComponentChildren;
}) {
  const { loaded, what, children } = props;
  const { value, rejection, at, reload } = loaded;
  return (
    <>
      {rejection && value === undefined && <Rejected rejection={rejection} retry={reload} />}
      {value !== undefined && children(value)}
      {rejection && value !== undefined && (
        <div class="over">
          <Rejected rejection={rejection} retry={reload} />
          {at && (
            <p class="stale">
              The page shows {what} as of {clock(at)}.
            </p>
          )}
        </div>
      )}
      {value === undefined && !rejection && <Waiting what={what} />}
    </>
  );
}

function Waiting({ what }: { readonly what: string }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setIsSlow(true), SLOW_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <p class="waiting" role="status">
      {isSlow ? `The API is slow: still waiting for ${what}.` : `Reading ${what}…`}
    </p>
  );
}
