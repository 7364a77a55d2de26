const TOUCHES = ["pointerdown", "pointermove", "keydown", "wheel"] as const;
/** From then on a page counts as untouched. */
export const UNTOUCHED_MS = 5 * 60_000;

const RETURNED = "plat:returned";
let touchedAtMs = performance.now();

/** Returns how long nobody has touched the page. */
export const untouchedMs = (): number => performance.now() - touchedAtMs;

const touched = () => {
  const isReturn = untouchedMs() >= UNTOUCHED_MS;
  touchedAtMs = performance.now();
  if (isReturn) dispatchEvent(new Event(RETURNED));
};

/** Notices from now on when somebody touches the page. */
export function followTouches(): void {
  for (const touch of TOUCHES) addEventListener(touch, touched, { capture: true, passive: true });
}

/** Returns true while the page is in sight. */
export const isSeen = (): boolean => document.visibilityState === "visible";

/** Calls a listener when the page comes into sight or leaves it, and when somebody touches it after a long time. */
export function onAttention(listener: () => void, signal: AbortSignal): void {
  document.addEventListener("visibilitychange", listener, { signal });
  addEventListener(RETURNED, listener, { signal });
}

/** Waits until the page is in sight. It waits forever once the signal aborts. */
export const seen = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => isSeen() && resolve();
    onAttention(look, signal);
    look();
  });
