import { useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "../api/use-api.tsx";
import { To } from "../parts/to.tsx";
import { beginningWith } from "../search/find.ts";
import { useNavigation } from "../state/navigation.tsx";
import { LISTS } from "../state/place.ts";
import { chooseScheme, chosenScheme, SCHEMES } from "../state/scheme.ts";

const TITLES = {
  hosts: "Hosts",
  jobs: "Jobs",
  reservations: "Reservations",
  alarms: "Alarms",
  events: "Events",
  check: "Check",
  settings: "Settings",
} as const;

/** The top of every page: the lists, the search, the space, and the colours. */
export function Top() {
  const { page } = useNavigation().place;
  return (
    <header class="top">
      <To page={{ kind: "overview" }} class="brand">
        Plat
      </To>
      <nav aria-label="Lists">
        <a
          href={useNavigation().href({ kind: "overview" })}
          aria-current={page.kind === "overview" ? "page" : undefined}
        >
          Overview
        </a>
        {LISTS.map((kind) => (
          <ListLink key={kind} kind={kind} />
        ))}
      </nav>
      <Search />
      <Space />
      <SchemeChoice />
    </header>
  );
}

function ListLink({ kind }: { readonly kind: (typeof LISTS)[number] }) {
  const { place, href } = useNavigation();
  return (
    <a href={href({ kind })} aria-current={place.page.kind === kind ? "page" : undefined}>
      {TITLES[kind]}
    </a>
  );
}

/** The search. The key `/` leads to it from everywhere. */
function Search() {
  const { place, open } = useNavigation();
  const input = useRef<HTMLInputElement>(null);
  const sought = place.page.kind === "search" ? (place.view.q ?? "") : "";
  const [text, setText] = useState(sought);
  useEffect(() => setText(sought), [sought]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, select, textarea");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") open({ kind: "search" }, { q: text.trim() });
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label="Search for an address, a CIDR, a handle, a host or a pool"
          placeholder="Address, handle, host…  /"
          list="suggestions"
          autoComplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <datalist id="suggestions">
          {useSuggestions(text.trim()).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </form>
    </search>
  );
}

const SUGGESTED_CHARACTERS_MIN = 2;
const TYPING_MS = 200;

/** Returns the names that begin with what is typed, once the typing pauses. None if the API does not answer: the search itself says why. */
function useSuggestions(text: string): readonly string[] {
  const api = useApi();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    setNames([]);
    if (text.length < SUGGESTED_CHARACTERS_MIN) return;
    const ending = new AbortController();
    const timer = window.setTimeout(() => {
      beginningWith(api, text, ending.signal).then(
        (finds) => setNames([...new Set(finds.map(({ name }) => name))]),
        () => {},
      );
    }, TYPING_MS);
    return () => {
      ending.abort();
      window.clearTimeout(timer);
    };
  }, [api, text]);
  return names;
}

/** The space that is seen. */
function Space() {
  const { place, enter } = useNavigation();
  const { space } = place;
  const [text, setText] = useState(space);
  useEffect(() => setText(space), [space]);
  const api = useApi();
  const [spaces, setSpaces] = useState<readonly string[]>([]);
  // A caller who may not see all spaces writes the name of one.
  const readSpaces = () => void api.spaces().then(setSpaces, () => setSpaces([]));
  return (
    <form
      class="space"
      onSubmit={(event) => {
        event.preventDefault();
        const name = text.trim() || "default";
        if (name !== space) enter(name);
      }}
    >
      <label>
        Space
        <input
          value={text}
          size={10}
          list="spaces"
          onFocus={readSpaces}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <datalist id="spaces">
        {spaces.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </form>
  );
}

function SchemeChoice() {
  const [scheme, setScheme] = useState(chosenScheme);
  return (
    <label class="scheme">
      <span class="unseen">Colours</span>
      <select
        value={scheme}
        onChange={(event) => {
          const chosen = SCHEMES.find((known) => known === event.currentTarget.value) ?? "system";
          setScheme(chosen);
          chooseScheme(chosen);
        }}
      >
        {SCHEMES.map((known) => (
          <option key={known} value={known}>
            {known}
          </option>
        ))}
      </select>
    </label>
  );
}
