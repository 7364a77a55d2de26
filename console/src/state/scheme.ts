import { useEffect, useState } from "preact/hooks";

/** The colours of the console; `system` follows the system's setting. */
export const SCHEMES = ["system", "light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];

const KEY = "plat-scheme";
const CHANGED = "plat:scheme";

/** Returns the chosen scheme. */
export function chosenScheme(): Scheme {
  const kept = localStorage.getItem(KEY);
  return SCHEMES.find((scheme) => scheme === kept) ?? "system";
}

/** Chooses a scheme, also for later visits. */
export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(KEY, scheme);
  document.documentElement.dataset.scheme = scheme;
  dispatchEvent(new Event(CHANGED));
}

const DARK = "(prefers-color-scheme: dark)";

const isDark = () =>
  chosenScheme() === "system" ? matchMedia(DARK).matches : chosenScheme() === "dark";

/** Returns the scheme in force, also after a change of the choice or of the system. */
export function useScheme(): "light" | "dark" {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const changed = () => setDark(isDark());
    const system = matchMedia(DARK);
    system.addEventListener("change", changed);
    addEventListener(CHANGED, changed);
    return () => {
      system.removeEventListener("change", changed);
      removeEventListener(CHANGED, changed);
    };
  }, []);
  return dark ? "dark" : "light";
}
