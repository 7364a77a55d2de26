/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles. Lambda passes credentials to a function in its environment
 * variables (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html). The SDK's other sources do not
 * exist there, and make up a quarter of the code that a function loads.
 */
export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
