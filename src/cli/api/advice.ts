import type * as v from "valibot";
import type { problem } from "../../contract/answers/answers.ts";

/** Advice about a problem, by its code: the API cannot name the commands that help. */
export const ADVICE: Readonly<Partial<Record<v.InferOutput<typeof problem>["code"], string>>> = {
  forbidden: "An operator of the API grants roles.",
  unauthenticated: "Set PLAT_TOKEN to the token of the server.",
  no_pool_available: "`plat assign` with --dry-run explains each pool; `plat pool get` lists them.",
  pool_exhausted: "`plat show` lists the free addresses of each pool.",
  host_not_registered: "Register the host with `plat node apply -f FILE`.",
  precondition_failed: "It changed in the meantime. Look at it, and repeat the command.",
  request_in_progress: "Repeat the command when the other request has ended.",
  idempotency_mismatch: "Use another --idempotency-key for another request.",
  unreadable: "`plat check` names the items that cannot be read.",
  internal_error: "The log of the server has the cause under the id of the request.",
};
