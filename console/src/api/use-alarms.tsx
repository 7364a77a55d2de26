import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Answer } from "./types.ts";
import { useApi } from "./use-api.tsx";
import { type Loaded, useLoad } from "./use-load.ts";

type Alarms = Answer<"alarmsRead">;

const Context = createContext<Loaded<Alarms> | undefined>(undefined);

/** Plat samples the use of pools every five minutes, so a crossed threshold is news for longer than this. */
const REST_MS = 30_000;

/** Reads the alarms of a space for all that shows them: the bar has their number on every page. */
export function AlarmsProvider(props: {
  readonly space: string;
  readonly children: ComponentChildren;
}) {
  const api = useApi();
  const loaded = useLoad<Alarms>({ key: props.space, restMs: REST_MS }, (signal) =>
    api.get("alarms", {}, signal),
  );
  return <Context.Provider value={loaded}>{props.children}</Context.Provider>;
}

/** Returns the alarms of the space; nothing where nobody is signed in. */
export const useAlarms = (): Loaded<Alarms> | undefined => useContext(Context);
