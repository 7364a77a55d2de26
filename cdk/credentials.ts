/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles. Lambda gives a function its credentials in variables of
 * its environment (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html); all other places that the SDK
 * would look at are a quarter of what a function loads, and none of them is there.
 */
export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
