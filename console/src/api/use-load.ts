import { useEffect, useRef, useState } from "preact/hooks";
import { seen } from "../state/attention.ts";
import { useLive } from "../state/pause.ts";
import { type LastLoad, whenDue } from "./pace.ts";
import { NotSignedIn, type Rejection, rejectionOf } from "./rejection.ts";
import { useApi } from "./use-api.tsx";

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

/** The least time between two loads of a page. */
const REST_MS = 5_000;

/** The way a component loads. */
export interface Loading {
  /** All that the value depends on. Another key drops the value. */
  readonly key: string;
  /** True for what is loaded once, and again on request only. */
  readonly isOnce?: boolean;
  /** The least time between two loads. */
  readonly restMs?: number;
}

interface State<T> extends Omit<Loaded<T>, "reload"> {
  readonly key: string;
  /** Absent while a load runs. */
  readonly last: LastLoad | undefined;
}

/**
 * Loads a value while the page is in sight, and loads it again after a sign-in, and as long as pages are live.
 *
 * @param load reads the value. It may `show` a part of it before the whole is there.
 */
export function useLoad<T>(
  { key, isOnce = false, restMs = REST_MS }: Loading,
  load: (signal: AbortSignal, show: (part: T) => void) => Promise<T>,
): Loaded<T> {
  const api = useApi();
  const isLive = useLive() && !isOnce;
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<State<T>>({ key, isLoading: true, ...NOTHING });
  const loader = useRef(load);
  loader.current = load;
  const failures = useRef({ key, count: 0 });

  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    if (failures.current.key !== key) failures.current = { key, count: 0 };
    const put = (change: Partial<State<T>>) => {
      if (signal.aborted) return;
      setState((before) => ({ ...before, ...(before.key !== key && NOTHING), key, ...change }));
    };
    // A part replaces nothing but an earlier part: a whole value is better than the start of the next one.
    const show = (part: T) =>
      setState((before) => (signal.aborted || before.at ? before : { ...before, value: part }));
    const again = () => {
      if (!signal.aborted) void run();
    };
    const run = async () => {
      await seen(signal);
      put({ isLoading: true, last: undefined });
      const startedAtMs = performance.now();
      let result: Partial<State<T>>;
      try {
        const value = await loader.current(signal, show);
        failures.current.count = 0;
        result = { value, rejection: undefined, at: new Date() };
      } catch (error) {
        if (signal.aborted) return;
        // The value stays as it is below the question who the user is.
        if (error instanceof NotSignedIn) return void error.signedIn.then(again);
        failures.current.count += 1;
        result = { rejection: rejectionOf(error) };
      }
      const atMs = performance.now();
      const last = { atMs, tookMs: atMs - startedAtMs, failures: failures.current.count };
      put({ ...result, isLoading: false, last });
    };
    void run();
    return () => ending.abort();
  }, [api, key, turn]);

  const { key: of, last, ...loaded } = state;
  useEffect(() => {
    if (!isLive || !last) return;
    const ending = new AbortController();
    whenDue(last, restMs, () => setTurn((before) => before + 1), ending.signal);
    return () => ending.abort();
  }, [isLive, last, restMs]);

  const current = of === key ? loaded : { ...UNREAD, isLoading: true };
  return { ...current, reload: () => setTurn((before) => before + 1) };
}

const UNREAD = { value: undefined, rejection: undefined, at: undefined };
const NOTHING = { ...UNREAD, last: undefined };
