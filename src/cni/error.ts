/**
 * Error codes of a CNI plugin. Those below 100 are of the specification
 * (https://www.cni.dev/docs/spec/#error), the others are the plugin's own.
 */
export const CODE = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  invalidEnvironment: 4,
  io: 5,
  decoding: 6,
  invalidConfiguration: 7,
  tryAgainLater: 11,
  notAvailable: 50,
  /** A defect of the plugin, as libcni numbers it. */
  internal: 999,
  /** Plat rejected the request, and a repeat would be rejected too. */
  rejected: 100,
  /** The attachment does not hold its address. */
  notHeld: 101,
} as const;

type Code = (typeof CODE)[keyof typeof CODE];

/** An error that the plugin returns to the runtime as a CNI error object. */
export class CniError extends Error {
  override readonly name = "CniError";
  readonly code: Code;
  /** More for a person: what to do, or the id of the request. */
  readonly details: string | undefined;

  constructor(code: Code, message: string, details?: string) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Returns the error object that a plugin prints. */
export const errorObject = (cniVersion: string, { code, message, details }: CniError) => ({
  cniVersion,
  code,
  msg: message,
  ...(details !== undefined && { details }),
});
