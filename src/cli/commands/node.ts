import type { Command } from "commander";
import { NODE_RESOURCE } from "../resource/kind.ts";
import type { Io } from "../shell/io.ts";
import { labelledCommand } from "./namespace.ts";
import { nodeCidrCommand } from "./node-cidr.ts";
import { nodeCiliumCommand } from "./node-cilium.ts";
import { nodeDeleteCommand } from "./node-delete.ts";

export const nodeCommand = (io: Io): Command =>
  labelledCommand(io, "Register hosts with their labels", NODE_RESOURCE, nodeDeleteCommand(io))
    .addCommand(nodeCidrCommand(io))
    .addCommand(nodeCiliumCommand(io));
