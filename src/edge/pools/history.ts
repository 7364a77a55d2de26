import type { PoolHistory } from "../../allocator/read/pool-history.ts";
import { unitOf } from "../../allocator/read/utilization.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { percentUsed } from "../../domain/pool-usage.ts";
import { formatTime } from "../../domain/time.ts";
import type { AnswerOf } from "../http/event.ts";
import { countOf, usageBody } from "../http/usage.ts";

export function poolHistoryAnswer(
  { pool, usage, exhaustedAtMs }: PoolHistory,
  requestId: string,
): AnswerOf<"GET /v1/pools/{name}/history"> {
  return {
    status: 200,
    body: {
      requestId,
      pool: pool.name,
      cidr: formatCidr(pool.cidr),
      family: pool.cidr.family,
      ...(unitOf(pool) || {}),
      ...(usage && {
        current: usageBody(usage.usage),
        countedFrom: formatTime(usage.countedFromMs),
        countedAt: formatTime(usage.countedAtMs),
        percentUsed: percentUsed(usage.usage),
        ...(usage.threshold !== undefined && { threshold: usage.threshold }),
      }),
      ...(exhaustedAtMs !== undefined && { exhaustedAt: formatTime(exhaustedAtMs) }),
      samples: (usage?.samples ?? []).map(({ atMs, assignable, available, inUse }) => ({
        at: formatTime(atMs),
        assignable: countOf(assignable),
        available: countOf(available),
        inUse: countOf(inUse),
      })),
    },
  };
}
