/** The ARN of a role's session, which API Gateway names as the caller (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html). */
const SESSION = /^arn:([^:]+):sts::(\d{12}):assumed-role\/([^/]+)\/.+$/;
const ROLE = /^arn:([^:]+):iam::(\d{12}):role\/(?:.*\/)?([^/]+)$/;

/**
 * Returns a principal as pools and limits name it. A role and each of its sessions are one principal: `arn:aws:iam::ACCOUNT:role/NAME`.
 * The ARN of a session has no path, and the names of an account's roles differ without it, so the path is left out. Any other
 * principal stays as it is.
 */
export function namedPrincipal(principal: string): string {
  const [, partition, account, name] = SESSION.exec(principal) ?? ROLE.exec(principal) ?? [];
  return name === undefined ? principal : `arn:${partition}:iam::${account}:role/${name}`;
}

/** The attribute of an address that names the tenant for whom it was assigned. */
export const TENANT_ATTRIBUTE = "tenant";
