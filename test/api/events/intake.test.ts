import type { SQSRecord } from "aws-lambda";
import { expect, it } from "vitest";
import { intake } from "../../../src/api/events/intake.ts";
import { PAGE_MS_MAX } from "../../../src/base/limits.ts";
import type { ClusterEvent } from "../../../src/nouns/node/node-health.ts";
import type { EventResult, EventScope } from "../../../src/nouns/node/operations/apply-events.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import { instanceEvent, nodeEvent, podEvent } from "../../node-objects.ts";
import { contextOver } from "../../world.ts";

process.env.LOG_LEVEL = "SILENT";

const plat = contextOver(new InMemoryTable(), { nowMs: 0 });

/** Returns a message of SQS; a text is its body as it is. */
function message(messageId: string, body: object | string, space?: string): SQSRecord {
  return {
    messageId,
    body: typeof body === "string" ? body : JSON.stringify(body),
    messageAttributes:
      space === undefined ? {} : { space: { dataType: "String", stringValue: space } },
  } as unknown as SQSRecord;
}

/** Takes in messages, and returns the ids that must come again, and what was applied where. */
async function takeIn(
  messages: readonly SQSRecord[],
  resultOf: (event: ClusterEvent) => EventResult = () => ({ status: "applied" }),
) {
  const applied: (readonly [EventScope, readonly string[]])[] = [];
  const handler = intake(
    { connect: () => ({ plat, dryRun: () => plat }) },
    async (_, scope, events) => {
      applied.push([scope, events.map(({ act, name }) => `${act} ${name}`)]);
      return events.map(resultOf);
    },
  );
  const { batchItemFailures } = await handler({ Records: [...messages] });
  return { again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), applied };
}

it("the messages of a space are applied together, in their order", async () => {
  const { again, applied } = await takeIn([
    message("1", nodeEvent("ADDED", "n1"), "green"),
    message("2", nodeEvent("ADDED", "n2"), "blue"),
    message("3", nodeEvent("DELETED", "n1"), "green"),
  ]);
  expect(again).toEqual([]);
  expect(applied).toEqual([
    [{ space: "green" }, ["state n1", "end n1"]],
    [{ space: "blue" }, ["state n2"]],
  ]);
});

it("an event without the attribute acts in the default space, and the end of a machine in every space", async () => {
  const { applied } = await takeIn([message("1", instanceEvent("i-1"))]);
  expect(applied).toEqual([[{ space: "default", everySpace: true }, ["terminate i-1"]]]);
});

it("only what failed comes again", async () => {
  const { again } = await takeIn(
    [
      message("1", nodeEvent("ADDED", "n1"), "green"),
      message("2", nodeEvent("ADDED", "n2"), "green"),
      message("3", podEvent("ADDED", "p1"), "green"),
    ],
    ({ name }) => ({ status: name === "n2" ? "failed" : "stale" }),
  );
  expect(again).toEqual(["2"]);
});

it("no further space is begun once the time for it is over: its messages come again", async () => {
  const clock = { nowMs: 0 };
  const timed = contextOver(new InMemoryTable(), clock);
  const deadline = { lastCallMs: 1, nowMs: () => 0 };
  const given: unknown[] = [];
  const applied: string[] = [];
  const handler = intake(
    {
      connect: (origin) => {
        given.push(origin.deadline);
        return { plat: timed, deadline, dryRun: () => timed };
      },
    },
    async (_, { space }, events) => {
      applied.push(space);
      clock.nowMs += PAGE_MS_MAX;
      return events.map(() => ({ status: "applied" as const }));
    },
  );
  const spaces = ["green", "blue", "red", "red"];
  const { batchItemFailures } = await handler({
    Records: spaces.map((space, n) => message(`${n}`, nodeEvent("ADDED", `n${n}`), space)),
  });
  expect(applied).toEqual(["green", "blue"]);
  expect(batchItemFailures).toEqual([{ itemIdentifier: "2" }, { itemIdentifier: "3" }]);
  // All spaces have the deadline that the batch began with.
  expect(given).toEqual([undefined, deadline, deadline]);
});

it("a malformed message comes again until it is a dead letter, and hinders no other", async () => {
  const { again, applied } = await takeIn([
    message("text", "{", "green"),
    message("node", { type: "ADDED", object: { kind: "Node", metadata: {} } }, "green"),
    message("space", nodeEvent("ADDED", "n1"), "No Space"),
    message("good", nodeEvent("ADDED", "n2"), "green"),
  ]);
  expect(again).toEqual(["text", "node", "space"]);
  expect(applied).toEqual([[{ space: "green" }, ["state n2"]]]);
});
