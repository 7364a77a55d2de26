import { Refusal } from "../../domain/outcome.ts";

export const notFound = (space: string, kind: string, name: string) =>
  new Refusal("not_found", `There is no ${kind} ${name} in space ${space}.`);
