import { Logger } from "@aws-lambda-powertools/logger";
import { errorLine } from "./error-line.ts";

/**
 * Made once. The code never passes it bodies, names, attributes or authorization headers. Every error, and whatever
 * else is in a field `error`, becomes an `ErrorLine`.
 */
export const logger = new Logger({
  serviceName: process.env.POWERTOOLS_SERVICE_NAME ?? "plat",
  jsonReplacerFn: (key, value) =>
    key === "error" || value instanceof Error ? errorLine(value) : value,
});
