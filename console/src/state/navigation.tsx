import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { hrefOf, type Page, type Place, placeAt } from "./place.ts";

/** The page that is seen, and the ways to others. */
export interface Navigation {
  readonly place: Place;
  /** Returns the address of a page in the same space. */
  href(page: Page, view?: Place["view"]): string;
  /** Opens a page, as a link to it does. */
  open(page: Page, view?: Place["view"]): void;
  /** Opens the overview of a space. */
  enter(space: string): void;
  /**
   * Changes how this page is seen. An empty value removes the parameter. The address changes, and the way back leads to
   * the view before if `kept`.
   */
  see(changes: Readonly<Record<string, string>>, kept?: boolean): void;
}

const Context = createContext<Navigation | undefined>(undefined);

/** Returns the navigation of the console. */
export function useNavigation(): Navigation {
  const navigation = useContext(Context);
  if (!navigation) throw new Error("no navigation around this component");
  return navigation;
}

/** Follows the address of the window, and answers clicks on links within the console without a load of the page. */
export function NavigationProvider({ children }: { readonly children: ComponentChildren }) {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const moved = () => setHref(location.href);
    const clicked = (event: MouseEvent) => {
      const target = linkIn(event);
      if (!target) return;
      event.preventDefault();
      history.pushState(undefined, "", target);
      scrollTo(0, 0);
      moved();
    };
    addEventListener("popstate", moved);
    addEventListener(WENT, moved);
    document.addEventListener("click", clicked);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(WENT, moved);
      document.removeEventListener("click", clicked);
    };
  }, []);
  const navigation = useMemo(() => navigationAt(placeAt(new URL(href))), [href]);
  return <Context.Provider value={navigation}>{children}</Context.Provider>;
}

const WENT = "plat:went";

/** Tells the console that the address of the window has changed. */
export const went = () => dispatchEvent(new Event(WENT));

function navigationAt(place: Place): Navigation {
  const href = (page: Page, view: Place["view"] = {}) => hrefOf({ space: place.space, page, view });
  const go = (target: string) => {
    history.pushState(undefined, "", target);
    scrollTo(0, 0);
    went();
  };
  return {
    place,
    href,
    open: (page, view) => go(href(page, view)),
    enter: (space) => go(hrefOf({ space, page: { kind: "overview" } })),
    see(changes, kept = false) {
      const { view } = placeAt(new URL(location.href));
      const seen = Object.entries({ ...view, ...changes }).filter(([, value]) => value !== "");
      const target = href(place.page, Object.fromEntries(seen));
      if (kept) history.pushState(undefined, "", target);
      else history.replaceState(undefined, "", target);
      went();
    },
  };
}

/** Returns the address of a link of the console that a plain click opens. */
function linkIn(event: MouseEvent): string | undefined {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || defaultPrevented)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.target || link.origin !== location.origin || link.hash) return undefined;
  return link.pathname.startsWith("/console") ? link.href : undefined;
}
