import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { SentMessage } from "../../twin/event-sources.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { instanceEvent, nodeEvent } from "../node-objects.ts";
import { HANGS_MS } from "../patience.ts";

const message = (event: object, space = "green"): SentMessage => ({
  body: JSON.stringify(event),
  attributes: { space },
});

describe.runIf(emulatorBinary())("the queue of events, on the twin of prod", () => {
  let twin: Twin;
  let queueArn: string;
  const send = (...messages: readonly SentMessage[]) => twin.eventSources.send(queueArn, messages);
  const node = async (name: string) =>
    (await twin.clientOf(1).call("GET", `/v1/spaces/green/nodes/${name}`)).status;

  beforeAll(async () => {
    const { deployment, assets } = await synthesised("prod");
    twin = await startTwin(deployment, assets, {
      port: 0,
      data: undefined,
      scheduleSeconds: 3_600,
    });
    queueArn = deployment.eventSources[0]?.queueArn ?? "";
  }, HANGS_MS);
  afterAll(() => twin?.stop());

  it("leads to intake: a node that joins is registered in the space that the message names", async () => {
    await send(message(nodeEvent("ADDED", "n1")), message(nodeEvent("ADDED", "n2"), "blue"));
    expect([await node("n1"), await node("n2")]).toEqual([200, 404]);
  });

  it("the end of a machine ends its node in its space, although the rule names none", async () => {
    const spec = { providerID: "aws:///eu-central-1a/i-0abc" };
    await send(message(nodeEvent("ADDED", "n3", { spec })));
    await send({ body: JSON.stringify(instanceEvent("i-0abc")) });
    expect(await node("n3")).toBe(404);
  });

  it("a malformed message is a dead letter in the end, and hinders no other", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await send({ body: "{" }, message(nodeEvent("ADDED", "n4")));
    expect(await node("n4")).toBe(200);
    expect(twin.queues.messages.map(({ body }) => body)).toMatchObject([{ body: "{" }]);
  });
});
