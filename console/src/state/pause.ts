import { useEffect, useState } from "preact/hooks";

const KEY = "plat-paused";
const CHANGED = "plat:paused";

const isPaused = (): boolean => sessionStorage.getItem(KEY) !== null;

/** Stops all pages of this tab from loading again, or lets them. The tab keeps the choice until it is closed. */
export function pause(paused: boolean): void {
  if (paused) sessionStorage.setItem(KEY, "1");
  else sessionStorage.removeItem(KEY);
  dispatchEvent(new Event(CHANGED));
}

/** Returns true unless the pages of this tab are paused, also after a change. */
export function useLive(): boolean {
  const [isLive, setIsLive] = useState(() => !isPaused());
  useEffect(() => {
    const changed = () => setIsLive(!isPaused());
    addEventListener(CHANGED, changed);
    return () => removeEventListener(CHANGED, changed);
  }, []);
  return isLive;
}
