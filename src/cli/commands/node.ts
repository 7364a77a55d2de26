import type { Io } from "../io.ts";
import { NODE } from "../resource/kind.ts";
import { labelledCommand } from "../resource/labelled.ts";

export const nodeCommand = (io: Io) => labelledCommand(io, "node", "hosts, and their labels", NODE);
