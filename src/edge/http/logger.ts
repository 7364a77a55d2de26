import { Logger } from "@aws-lambda-powertools/logger";

/** Made once. Bodies, attributes and authorization headers are never handed to it. */
export const logger = new Logger({ serviceName: process.env.POWERTOOLS_SERVICE_NAME ?? "plat" });
