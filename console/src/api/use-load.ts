import { useEffect, useRef, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "./rejection.ts";

/** A loaded value, and the result of the last load. */
export interface Loaded<T> {
  /** The last value. It stays while a load runs, and after a rejection. */
  readonly value: T | undefined;
  readonly rejection: Rejection | undefined;
  readonly isLoading: boolean;
  /** The time at which the value was complete. */
  readonly at: Date | undefined;
  reload(): void;
}

/** The least time between two loads of a live page. A load may take a tenth of the time. */
const LIVE_MS_MIN = 2_000;
const LOAD_SHARE = 10;

/** The way a component loads. */
export interface Loading {
  /** All that the value depends on. Another key drops the value. */
  readonly key: string;
  /** True to load again and again while the page is visible. */
  readonly live?: boolean;
}

/**
 * Loads a value, and loads it again on request or while it is live.
 *
 * @param load reads the value. It may `show` a part of it before the whole is there.
 */
export function useLoad<T>(
  { key, live = false }: Loading,
  load: (signal: AbortSignal, show: (part: T) => void) => Promise<T>,
): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Omit<Loaded<T>, "reload"> & { readonly key: string }>({
    key,
    value: undefined,
    rejection: undefined,
    isLoading: true,
    at: undefined,
  });
  const loader = useRef(load);
  loader.current = load;

  useEffect(() => {
    const ending = new AbortController();
    let timer: number | undefined;
    const put = (change: Partial<typeof state>) => {
      if (ending.signal.aborted) return;
      setState((before) => {
        const same = before.key === key;
        const { value, rejection, at } = before;
        const kept = same ? { value, rejection, at } : NOTHING;
        return { key, isLoading: false, ...kept, ...change };
      });
    };
    const again = async () => {
      const startedAtMs = performance.now();
      if (document.visibilityState === "visible") {
        put({ isLoading: true });
        // A part replaces nothing but an earlier part: a whole value is better than the start of the next one.
        const show = (part: T) =>
          setState((before) =>
            ending.signal.aborted || before.at ? before : { ...before, value: part },
          );
        try {
          const value = await loader.current(ending.signal, show);
          put({ value, rejection: undefined, at: new Date() });
        } catch (error) {
          put({ rejection: rejectionOf(error) });
        }
      }
      const tookMs = performance.now() - startedAtMs;
      if (live && !ending.signal.aborted)
        timer = window.setTimeout(again, Math.max(LIVE_MS_MIN, LOAD_SHARE * tookMs));
    };
    void again();
    return () => {
      ending.abort();
      window.clearTimeout(timer);
    };
  }, [key, live, turn]);

  const { key: of, ...loaded } = state;
  const current = of === key ? loaded : { ...NOTHING, isLoading: true };
  return { ...current, reload: () => setTurn((last) => last + 1) };
}

const NOTHING = { value: undefined, rejection: undefined, at: undefined };
