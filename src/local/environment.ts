/** Imported before everything else: the AWS SDK and the logger read these as they are loaded. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
process.env.POWERTOOLS_SERVICE_NAME ??= "plat";
// A line for every request is for CloudWatch; a terminal stays readable with what went wrong.
process.env.POWERTOOLS_LOG_LEVEL ??= "WARN";
