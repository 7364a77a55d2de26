import type { Invoked } from "./lambda.ts";

/** The answer to a caller. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const MESSAGES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  413: "Request Entity Too Large",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

/** Returns API Gateway's own answer for a status. */
export function ownAnswer(status: keyof typeof MESSAGES): GatewayAnswer {
  const body = Buffer.from(JSON.stringify({ message: MESSAGES[status] }));
  return { status, headers: { "content-type": "application/json" }, body };
}

/**
 * Converts a function's answer as API Gateway does (payload format 2.0). A function that failed or took too long
 * becomes a 500. A function that Lambda could not call becomes a 503
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
export function answerOf(invoked: Invoked): GatewayAnswer {
  if (invoked === "too large") return ownAnswer(413);
  if (invoked === "throttled") return ownAnswer(503);
  if ("error" in invoked) return ownAnswer(500);
  const result: unknown = JSON.parse(invoked.payload);
  if (!isStructured(result))
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: Buffer.from(typeof result === "string" ? result : invoked.payload),
    };
  const { statusCode, headers = {}, body = "", isBase64Encoded = false, cookies } = result;
  if (!Number.isInteger(statusCode) || statusCode < 100 || statusCode > 599) return ownAnswer(500);
  return {
    status: statusCode,
    headers: {
      "content-type": "text/plain;charset=UTF-8",
      ...lowerCased(headers),
      ...(cookies && { "set-cookie": cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
  };
}

interface Structured {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly cookies?: readonly string[];
}

const isStructured = (result: unknown): result is Structured =>
  typeof result === "object" && result !== null && "statusCode" in result;

const lowerCased = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
