import * as v from "valibot";
import { requestId, time, unreadableItems } from "../../../api/answer-parts.ts";
import { exhaustedAt, percentUsed } from "../../utilization/contract/history-answer.ts";
import { ALARM_IDS } from "../alarm.ts";

export const crossedAlarm = v.strictObject({
  id: v.pipe(v.picklist(ALARM_IDS), v.description("The alarm, which has a chapter in the runbook")),
  detail: v.string(),
  pool: v.optional(v.string()),
  percentUsed: v.optional(percentUsed),
  exhaustedAt: v.optional(exhaustedAt),
  since: v.optional(
    v.pipe(time, v.description("Since when something is due, or nothing was counted")),
  ),
});

export const alarmsRead = v.strictObject({
  requestId,
  alarms: v.pipe(v.array(crossedAlarm), v.description("The thresholds that are crossed now")),
  unreadable: unreadableItems,
});
