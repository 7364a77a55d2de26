import { isSeen, onAttention, UNTOUCHED_MS, untouchedMs } from "../state/attention.ts";

/** The last load of a page. */
export interface LastLoad {
  /** The time of its end, on the clock of `performance.now`. */
  readonly atMs: number;
  readonly tookMs: number;
  /** The loads that failed since the last one that did not. */
  readonly failures: number;
}

/** A load may take a tenth of the time. */
const LOAD_SHARE = 10;
const WAIT_MS_MAX = 60_000;

/**
 * Returns how long a page waits before it loads again. The wait doubles with each failure in a row, up to a minute. It is
 * a minute once nobody has touched the page for some minutes.
 *
 * @param restMs the least wait
 * @param sinceTouchMs the time since somebody touched the page
 */
export function waitMs(
  { tookMs, failures }: Omit<LastLoad, "atMs">,
  restMs: number,
  sinceTouchMs: number,
): number {
  const usualMs = sinceTouchMs >= UNTOUCHED_MS ? WAIT_MS_MAX : restMs * 2 ** failures;
  return Math.max(restMs, Math.min(WAIT_MS_MAX, usualMs), LOAD_SHARE * tookMs);
}

/** Calls `load` once, when a page that is in sight is due to load again. A page out of sight loads when it is seen. */
export function whenDue(
  last: LastLoad,
  restMs: number,
  load: () => void,
  signal: AbortSignal,
): void {
  const ending = new AbortController();
  let timer: number | undefined;
  const end = () => {
    ending.abort();
    window.clearTimeout(timer);
  };
  const look = () => {
    window.clearTimeout(timer);
    if (!isSeen()) return;
    const leftMs = last.atMs + waitMs(last, restMs, untouchedMs()) - performance.now();
    if (leftMs > 0) {
      timer = window.setTimeout(look, leftMs);
      return;
    }
    end();
    load();
  };
  signal.addEventListener("abort", end, { signal: ending.signal });
  onAttention(look, ending.signal);
  look();
}
