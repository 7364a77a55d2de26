/** Which Lambda function serves which route; the CDK and the local server read the same list. */
export type FunctionName =
  | "assign"
  | "release"
  | "read"
  | "renew"
  | "pools"
  | "reservations"
  | "config"
  | "jobs"
  | "health";

/** A route of API Gateway's HTTP API: `{name}` stands for one path segment. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly function: FunctionName;
}

export const ROUTES: readonly Route[] = [
  { method: "POST", path: "/v1/assign", function: "assign" },
  { method: "POST", path: "/v1/release", function: "release" },
  { method: "DELETE", path: "/v1/handles/{handle}", function: "release" },
  { method: "GET", path: "/v1/addresses/{ip}", function: "read" },
  { method: "PATCH", path: "/v1/addresses/{ip}", function: "renew" },
  { method: "GET", path: "/v1/handles/{handle}", function: "read" },
  { method: "GET", path: "/v1/blocks", function: "read" },
  // The slash of a CIDR may arrive encoded or not, and API Gateway may decode it before it routes: both forms are served.
  { method: "GET", path: "/v1/blocks/{cidr}", function: "read" },
  { method: "GET", path: "/v1/blocks/{address}/{prefix}", function: "read" },
  { method: "GET", path: "/v1/pools/{name}/utilization", function: "read" },
  { method: "GET", path: "/v1/pools", function: "pools" },
  { method: "GET", path: "/v1/pools/{name}", function: "pools" },
  { method: "PUT", path: "/v1/pools/{name}", function: "pools" },
  { method: "DELETE", path: "/v1/pools/{name}", function: "pools" },
  { method: "POST", path: "/v1/pools/{name}/drain", function: "pools" },
  { method: "GET", path: "/v1/jobs", function: "jobs" },
  { method: "GET", path: "/v1/jobs/{id}", function: "jobs" },
  { method: "GET", path: "/v1/reservations", function: "reservations" },
  { method: "GET", path: "/v1/reservations/{name}", function: "reservations" },
  { method: "PUT", path: "/v1/reservations/{name}", function: "reservations" },
  { method: "DELETE", path: "/v1/reservations/{name}", function: "reservations" },
  { method: "GET", path: "/v1/config", function: "config" },
  { method: "PUT", path: "/v1/config", function: "config" },
  { method: "GET", path: "/healthz", function: "health" },
  { method: "GET", path: "/readyz", function: "health" },
];
