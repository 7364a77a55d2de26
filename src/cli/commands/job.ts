import { Command } from "commander";
import type { Io } from "../io.ts";
import { JOB_COLUMNS } from "../job.ts";
import { getCommand } from "../resource/get.ts";

export const jobCommand = (io: Io): Command =>
  new Command("job")
    .description("work on pools that goes on by itself")
    .addCommand(getCommand(io, { plural: "jobs" }, JOB_COLUMNS));
