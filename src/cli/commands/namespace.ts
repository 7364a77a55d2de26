import type { Io } from "../io.ts";
import { NAMESPACE } from "../resource/kind.ts";
import { labelledCommand } from "../resource/labelled.ts";

export const namespaceCommand = (io: Io) =>
  labelledCommand(io, "Register namespaces with their labels", NAMESPACE);
