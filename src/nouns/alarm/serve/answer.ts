import { type AnswerOf, timed } from "../../../api/http/event.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { formatTime } from "../../../base/time.ts";
import type { CrossedAlarm } from "../alarm.ts";
import type { AlarmList } from "../operations/list-alarms.ts";

export const alarmsAnswer = (
  { alarms, unreadable }: AlarmList,
  requestId: string,
): AnswerOf<"GET /v1/alarms"> => ({
  status: 200,
  body: {
    requestId,
    alarms: alarms.map(alarmBody),
    ...unreadableBody(unreadable),
  },
});

function alarmBody(alarm: CrossedAlarm) {
  switch (alarm.id) {
    case "PoolAbove95":
    case "PoolAbove80": {
      const { percentUsed } = alarm;
      return { ...alarm, detail: `Of pool ${alarm.pool}, ${percentUsed} % is in use or cooling.` };
    }
    case "PoolExhaustsSoon": {
      const told = timed(alarm);
      return { ...told, detail: `Pool ${told.pool} has no address left at ${told.exhaustedAt}.` };
    }
    case "LateRepair": {
      const since = formatTime(alarm.dueAtMs);
      const detail = `The repair run is late with what is due since ${since}.`;
      return { id: alarm.id, detail, since };
    }
    case "NoHeartbeatOfReclaim": {
      const since = formatTime(alarm.countedAtMs);
      return { id: alarm.id, detail: `No pool of the space was counted since ${since}.`, since };
    }
    default:
      return alarm satisfies never;
  }
}
