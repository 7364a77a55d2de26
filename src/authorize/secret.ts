import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

/** Returns a function that reads the secret that `TOKENS_SECRET` names. */
export function secretOfEnvironment(): () => Promise<string> {
  const client = new SecretsManagerClient();
  return async () => {
    const wanted = new GetSecretValueCommand({ SecretId: process.env.TOKENS_SECRET });
    const { SecretString = "" } = await client.send(wanted);
    return SecretString;
  };
}
