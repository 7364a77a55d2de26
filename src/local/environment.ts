/** Imported before everything else, because the AWS SDK and the logger read these variables when they are loaded. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
// CloudWatch gets a line for every request. A terminal stays readable, because it shows only warnings and errors.
process.env.LOG_LEVEL ??= "WARN";
