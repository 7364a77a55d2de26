import { Rejection } from "../../base/outcome.ts";

export const notFound = (space: string, kind: string, name: string) =>
  new Rejection("not_found", `There is no ${kind} ${name} in space ${space}.`);
