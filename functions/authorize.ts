import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { authorizer } from "../src/authorize/authorize.ts";

/** Finds the holders of tokens for API Gateway. It reads one secret and no table. */
export const handler = authorizer(secretOfEnvironment(), () => Date.now());

/** Returns a function that reads the secret that `TOKENS_SECRET` names. */
function secretOfEnvironment(): () => Promise<string> {
  const client = new SecretsManagerClient();
  return async () => {
    const wanted = new GetSecretValueCommand({ SecretId: process.env.TOKENS_SECRET });
    const { SecretString = "" } = await client.send(wanted);
    return SecretString;
  };
}
