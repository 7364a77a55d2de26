import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** True around a page that stays as it is below the question who the user is. */
export const Covered = createContext(false);

/** Returns true while nobody sees the page of a component, because the console asks the user to sign in. */
export const useIsCovered = (): boolean => useContext(Covered);
