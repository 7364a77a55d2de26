import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "./api.ts";

/** The API around a component. */
export const ApiContext = createContext<Api | undefined>(undefined);

/** Returns the API of the space that is seen. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error("no API around this component");
  return api;
}
