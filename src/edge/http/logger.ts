import { Logger } from "@aws-lambda-powertools/logger";

/** Made once. The code never passes it bodies, attributes or authorization headers. */
export const logger = new Logger({ serviceName: process.env.POWERTOOLS_SERVICE_NAME ?? "plat" });
