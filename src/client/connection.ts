/** The reason why no connection was made, so that no part of the request was sent. */
export interface NoConnection {
  /** The problem, and in the following lines the action to take. */
  readonly message: string;
  /** True if another try may find a connection, such as after a restart of the server. */
  readonly mayPass: boolean;
}

/**
 * Returns why a request found no connection. Returns nothing if the request may have been sent, which holds for every
 * error that is not known to precede the first byte.
 *
 * @param error the error that `fetch` threw
 */
export function noConnection(error: Error, endpoint: URL): NoConnection | undefined {
  const causes = causesOf(error);
  const [first] = causes;
  if (!first || !causes.every(precedesRequest)) return undefined;
  const { origin, hostname, port } = endpoint;
  if (causes.every(isRefusedOnLoopback))
    return {
      message: `No server is listening at ${origin} (ECONNREFUSED).\nNothing was sent. Start a server with \`plat serve\`, or name another endpoint.`,
      mayPass: false,
    };
  if (first.code === "ENOTFOUND")
    return {
      message: `The host ${hostname} of the endpoint has no address (ENOTFOUND).\nNothing was sent. Check the endpoint.`,
      mayPass: false,
    };
  if (first.message === BLOCKED_PORT)
    return {
      message: `HTTP clients refuse to call port ${port}: it belongs to another protocol.\nNothing was sent. Check the endpoint.`,
      mayPass: false,
    };
  if (first.code === PLAIN_TEXT)
    return {
      message: `${origin} does not speak TLS (${PLAIN_TEXT}).\nNothing was sent. Use http:// in the endpoint if the server serves plain HTTP.`,
      mayPass: false,
    };
  if (isCertificateError(first))
    return {
      message: `The certificate of ${origin} is not accepted: ${first.message} (${first.code}).\nNothing was sent. For a private certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate.`,
      mayPass: false,
    };
  return {
    message: `${origin} cannot be reached: ${first.message || first.code}.\nNothing was sent. Check the network and the endpoint.`,
    mayPass: true,
  };
}

/** Returns the causes of `fetch failed`: one for each address of the name. */
export function causesOf({ cause }: Error): readonly NodeJS.ErrnoException[] {
  const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return causes.filter((one): one is NodeJS.ErrnoException => one instanceof Error);
}

/** https://fetch.spec.whatwg.org/#port-blocking; the error has no code. */
const BLOCKED_PORT = "bad port";
const PLAIN_TEXT = "ERR_SSL_WRONG_VERSION_NUMBER";

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes, and a certificate for another name. */
const CERTIFICATE_ERRORS: readonly string[] = [
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "CERT_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
];

const isCertificateError = ({ code = "" }: NodeJS.ErrnoException) =>
  CERTIFICATE_ERRORS.includes(code);

/** Returns true if the name was not resolved, the connection not made, or the server's certificate not accepted. */
const precedesRequest = (error: NodeJS.ErrnoException): boolean =>
  error.syscall === "getaddrinfo" ||
  error.syscall === "connect" ||
  error.code === "UND_ERR_CONNECT_TIMEOUT" ||
  error.code === PLAIN_TEXT ||
  error.message === BLOCKED_PORT ||
  isCertificateError(error);

/**
 * Returns true if no server listens on this machine: none returns within the seconds of a retry. On another machine a
 * load balancer may be in between.
 */
const isRefusedOnLoopback = (error: NodeJS.ErrnoException & { readonly address?: string }) =>
  error.code === "ECONNREFUSED" && /^(127\.|::1$)/.test(error.address ?? "");
