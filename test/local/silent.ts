/** Imported before everything else, because the logger and the AWS SDK read these variables when they are loaded. */
process.env.LOG_LEVEL = "SILENT";
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
