import { end, hold, holding, leftWithOne, putTeam, withSubnet } from "../applications.ts";
import type { Operation } from "./operations.ts";

/** The operations on applications. */
export const APPLICATION_OPERATIONS: readonly Operation[] = [
  {
    name: "an application that is new",
    step: "create-application",
    prepare: withSubnet,
    walk: (context) => hold(context, 3),
    kept: ["old"],
    again: (context) => hold(context, 3),
  },
  {
    name: "an application that grows",
    step: "change-application",
    prepare: holding(1),
    walk: (context) => hold(context, 3),
    kept: ["old"],
    again: (context) => hold(context, 3),
  },
  {
    name: "an application that gets smaller",
    step: "let-go",
    prepare: holding(3),
    walk: (context) => hold(context, 1),
    kept: ["old"],
    again: (context) => hold(context, 1),
  },
  {
    name: "an application that is deleted",
    step: "delete-application",
    prepare: holding(3),
    walk: (context) => end(context),
    kept: ["old"],
    again: (context) => end(context),
  },
  {
    name: "a pool that is cut out of a pool for applications",
    step: "cut-fence",
    prepare: leftWithOne,
    walk: (context) => putTeam(context),
    kept: ["old"],
    again: (context) => putTeam(context),
  },
];
