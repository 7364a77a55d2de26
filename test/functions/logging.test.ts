import { afterEach, expect, it, vi } from "vitest";
import { logger } from "../../src/api/http/logger.ts";
import { call } from "./plat.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("each request is one line, without its body, its headers and its caller", async () => {
  const lines: unknown[][] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(logger, level).mockImplementation((...line) => void lines.push(line));
  await call("POST", "/v1/assign", {
    headers: { authorization: "AWS4 the-secret", "idempotency-key": "the-key" },
    body: { host: "the-host", ipv4: 1, attributes: { pod: "the-pod" } },
    caller: "arn:aws:iam::123456789012:user/the-caller",
  });
  expect(lines).toEqual([
    [
      "rejected",
      {
        status: 409,
        code: "no_pool_available",
        requestId: "request-1",
        route: "POST /v1/assign",
        durationMs: expect.any(Number),
      },
    ],
  ]);
});
