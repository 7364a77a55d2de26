import * as v from "valibot";
import { LISTED_STATES } from "../../domain/application.ts";
import { next, problemCode, unreadable, whole, written } from "./parts.ts";

export const applicationInterface = v.strictObject({
  name: v.string(),
  pools: v.array(v.string()),
});

export const applicationAddresses = v.strictObject({
  number: v.string(),
  pools: v.optional(v.array(v.string())),
  interfaces: v.optional(v.array(applicationInterface)),
  keep: v.boolean(),
});

export const applicationMember = v.strictObject({
  address: v.string(),
  interface: v.optional(v.string()),
  state: v.pipe(
    v.picklist(LISTED_STATES),
    v.description(
      "`named`: about to be held. `in`: held, or assigned to an instance. `leaving`: goes when no instance has it",
    ),
  ),
});

export const unfinishedApplication = v.strictObject({
  code: v.optional(problemCode),
  detail: v.string(),
});

const application = {
  namespace: v.string(),
  kind: v.string(),
  name: v.string(),
  replicas: whole,
  start: whole,
  addresses: v.optional(applicationAddresses),
  state: v.optional(
    v.pipe(
      v.picklist(["retained", "deleting"]),
      v.description(
        "`retained`: deleted, and its addresses are kept. `deleting`: its addresses go. Absent otherwise",
      ),
    ),
  ),
  members: v.array(applicationMember),
  complete: v.pipe(
    v.boolean(),
    v.description("Whether it has its number, and nothing that must go"),
  ),
  refusal: v.optional(unfinishedApplication),
};

export const applicationRead = v.strictObject(application);

export const applicationsRead = v.strictObject({
  applications: v.array(applicationRead),
  unreadable,
  next,
});

export const applicationWritten = v.strictObject({ ...application, ...written });

export const applicationDeleted = v.strictObject({
  released: v.pipe(v.array(v.string()), v.description("The addresses that went")),
  left: v.pipe(whole, v.description("The number of addresses that are still listed")),
  ...written,
});
