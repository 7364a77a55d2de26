import { Command } from "commander";
import { action, printing } from "../cli.ts";
import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import { type FromReportOptions, releaseFromReports, withFromReport } from "./release-report.ts";

export const releaseCommand = (io: Io): Command =>
  printing(withFromReport(new Command("release")))
    .description("gives addresses back that a report has confirmed to be nobody's")
    .action(
      action(io, (session, { fromReport }: FromReportOptions) => {
        if (fromReport.length === 0) throw usageError("--from-report FILE is required.");
        return releaseFromReports(session, fromReport);
      }),
    );
