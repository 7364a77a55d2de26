import type { Caller } from "./callers.ts";

/**
 * Returns the identity of a caller with IAM authorization
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-access-control-iam.html).
 */
export function identityOf({ accessKeyId, name, userArn }: Caller, accountId: string) {
  return {
    accessKey: accessKeyId,
    accountId,
    callerId: `AIDA${name.toUpperCase()}`,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn,
    userId: `AIDA${name.toUpperCase()}`,
  };
}
