import { NAMESPACE } from "../resource/kind.ts";
import { labelledCommand } from "../resource/labelled.ts";
import type { Io } from "../shell/io.ts";

export const namespaceCommand = (io: Io) =>
  labelledCommand(io, "Register namespaces with their labels", NAMESPACE);
