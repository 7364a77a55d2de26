/** The author of a change: a caller of the API, or a function of Plat such as `plat/repair`. */
export interface Actor {
  /** The ARN of an IAM user or of a role's session, or a name of Plat's own. */
  readonly principal: string;
  /** The id in the log line of the request or of the run. */
  readonly requestId: string;
  /** Absent if Plat itself acts. */
  readonly sourceIp?: string;
}

/** The principal of every request to a server without callers, such as `npm start`. */
export const UNKNOWN_CALLER = "local";

/** Returns the principal of a function that acts by itself. */
export const platItself = (functionName: string): string => `plat/${functionName}`;
