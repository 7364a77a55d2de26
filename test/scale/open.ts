/**
 * The facts that do not hold yet, by the start of their names. `npm run scale` measures them, and
 * the tests do not check them. A change that makes a fact hold must remove it here.
 */
export const OPEN: readonly string[] = [];
