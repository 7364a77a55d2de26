import { useEffect, useRef, useState } from "preact/hooks";
import { useAlarms } from "../api/use-alarms.tsx";
import { useApi } from "../api/use-api.tsx";
import { To } from "../parts/to.tsx";
import { suggestionsFor } from "../search/find.ts";
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
        <To page={{ kind: "overview" }} isCurrent={page.kind === "overview"}>
          Overview
        </To>
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
  const { page } = useNavigation().place;
  return (
    <To page={{ kind }} isCurrent={page.kind === kind}>
      {TITLES[kind]}
      {kind === "alarms" && <AlarmCount />}
    </To>
  );
}

const ALARMS_TOLD_MAX = 99;

/** The number of alarms. It has its room before there are any, so that nothing beside it moves. */
function AlarmCount() {
  const count = useAlarms()?.value?.alarms.length ?? 0;
  return (
    <span class={count === 0 ? "state empty" : "state bad"}>
      {count > ALARMS_TOLD_MAX ? `${ALARMS_TOLD_MAX}+` : count > 0 && count}
    </span>
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
          placeholder="Search  /"
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
      suggestionsFor(api, text, ending.signal).then(
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

/** The space that is seen, and the way to the others. */
function Space() {
  const { space, page } = useNavigation().place;
  return (
    <To
      page={{ kind: "spaces" }}
      class="space"
      title="Choose a space"
      isCurrent={page.kind === "spaces"}
    >
      <span class="soft">Space</span> {space}
    </To>
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
