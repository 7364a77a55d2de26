import { Command } from "commander";
import { JOB_COLUMNS, printJob } from "../invocation/wait-for-job.ts";
import { getCommand } from "../resource/get.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

const JOBS = { noun: "job", plural: "jobs", sample: "drain-default-ipv4" };

export const jobCommand = (io: Io): Command =>
  new Command("job")
    .description("Show the jobs that drain, delete or change pools, or delete the space")
    .addHelpText("after", examples(["Show the jobs of the space", "plat job get"]))
    .addCommand(getCommand(io, JOBS, JOB_COLUMNS, printJob));
