import { Command } from "commander";
import { examples } from "../help.ts";
import type { Io } from "../io.ts";
import { JOB_COLUMNS } from "../job.ts";
import { getCommand } from "../resource/get.ts";

const JOBS = { noun: "job", plural: "jobs", sample: "drain-default-ipv4" };

export const jobCommand = (io: Io): Command =>
  new Command("job")
    .description("Show the jobs that drain, delete or change pools")
    .addHelpText("after", examples(["Show the jobs of the space", "plat job get"]))
    .addCommand(getCommand(io, JOBS, JOB_COLUMNS));
