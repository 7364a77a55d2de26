/** All that the command needs, in one file that is loaded when it is used. */
export { openRestoredTable } from "./open-table.ts";
export { readTrail } from "./read-trail.ts";
export { restoreTable } from "./restore-table.ts";
