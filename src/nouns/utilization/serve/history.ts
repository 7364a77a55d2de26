import type { AnswerOf } from "../../../api/http/event.ts";
import { exactCount, usageBody } from "../../../api/http/usage.ts";
import { formatTime } from "../../../base/time.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { PoolHistory } from "../operations/pool-history.ts";
import { unitOf } from "../operations/utilization.ts";
import { percentUsed } from "../pool-usage.ts";

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
        assignable: exactCount(assignable),
        available: exactCount(available),
        inUse: exactCount(inUse),
      })),
    },
  };
}
