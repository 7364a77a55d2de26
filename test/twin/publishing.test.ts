import { gunzipSync } from "node:zlib";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { Intrinsics } from "../../twin/intrinsics.ts";
import { dataIn } from "../../twin/metrics/data.ts";
import type { Stack } from "../../twin/names.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { planOf, RESOURCES } from "../examples/dns.ts";
import { HANGS_MS } from "../patience.ts";
import { fieldsOfType, fieldsOfValue } from "./hive-fields.ts";
import { logsOf, runSchedules } from "./situations.ts";

const RULE: Readonly<Record<"source" | "detail-type", readonly string[]>> =
  RESOURCES.Rule.Properties.EventPattern;

describe.runIf(emulatorBinary())("the stream of the table, on the twin of prod", () => {
  let twin: Twin;
  let stacks: readonly Stack[];
  const call = (method: string, path: string, body?: object) =>
    twin.clientOf(1).call(method, path, body);
  /** Returns the details of the events of a handle, in their order. */
  const eventsOf = (handle: string) =>
    twin.services.events
      .map(({ DetailType, Detail }) => ({ type: DetailType, ...JSON.parse(Detail) }))
      .filter((event) => event.handle === handle);
  const typesOf = (handle: string) => eventsOf(handle).map(({ type }) => type);
  /** Returns all lines of the trail. */
  const lines = () =>
    [...twin.services.objects.values()].flatMap((object) =>
      gunzipSync(object)
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  /** Returns the latencies of successful assigns, as CloudWatch reads them from the logs. */
  const latencies = async () =>
    dataIn(await logsOf(twin)).filter(
      ({ name, dimensions: { operation, status } }) =>
        name === "Latency" && operation === "POST /v1/assign" && status === "2xx",
    );
  const assign = (handle: string) =>
    call("POST", "/v1/assign", { host: "node-1", ipv4: 1, handle });

  beforeAll(async () => {
    const { deployment, assets, ...made } = await synthesised("prod");
    stacks = made.stacks;
    twin = await startTwin(deployment, assets, { port: 0, scheduleSeconds: 3_600 });
    await call("PUT", "/v1/pools/default-ipv4", { cidr: "10.0.0.0/16" });
  }, HANGS_MS);
  afterAll(() => twin?.stop());

  it("becomes an event on the bus for an assign, with who asked, and one for its release", async () => {
    await assign("web-0");
    await eventually(() => expect(typesOf("web-0")).toEqual(["AddressAssigned"]));
    await call("POST", "/v1/release", { handle: "web-0" });
    await eventually(() =>
      expect(typesOf("web-0")).toEqual(["AddressAssigned", "AddressReleased"]),
    );
    const [assigned, released] = eventsOf("web-0");
    expect(assigned).toMatchObject({ space: "default", handle: "web-0", host: "node-1" });
    expect(assigned.principal).toMatch(/^arn:aws:iam::/);
    expect(released.address).toBe(assigned.address);
    expect(released.sequence > assigned.sequence).toBe(true);
  });

  it("has the event, the line of the trail and the metric of one assign", async () => {
    const measured = await latencies();
    const { requestId } = (await assign("seen")).body;
    await eventually(() => expect(eventsOf("seen")).toMatchObject([{ requestId }]));
    await eventually(() =>
      expect(lines().filter(({ by }) => by?.requestId === requestId)).toContainEqual(
        expect.objectContaining({ kind: "BLOCK" }),
      ),
    );
    await eventually(async () => expect(await latencies()).toHaveLength(measured.length + 1));
  });

  it("reaches the publisher without any request, because the repair run marks the table", async () => {
    const published = async () =>
      (await logsOf(twin)).split("\n").filter((line) => line.includes('"message":"published"'));
    const before = (await published()).length;
    await runSchedules(twin, "repair0");
    await eventually(async () => expect((await published()).length).toBeGreaterThan(before));
  });

  it("becomes a history of the address, and an event for a program that polls", async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const assigned = await assign("polled");
    const [{ address }] = assigned.body.addresses;
    await eventually(async () => {
      const { body } = await call("GET", `/v1/addresses/${address}/history`);
      expect(body.events).toMatchObject([{ type: "AddressAssigned", handle: "polled" }]);
    });
    const { body } = await call("GET", "/v1/history/handles/polled");
    expect(body).toMatchObject({ keptDays: 90, events: [{ address }] });
    await eventually(async () => {
      const { body } = await call("GET", `/v1/events?since=${since}`);
      expect(body.events).toContainEqual(expect.objectContaining({ handle: "polled", address }));
    });
  });

  it("becomes lines of the trail under the hour, which say what was before and afterwards", async () => {
    expect([...twin.services.objects.keys()]).toContainEqual(
      expect.stringMatching(/^changes\/\d{4}\/\d\d\/\d\d\/\d\d\/\d{40}-.+\.jsonl\.gz$/),
    );
    expect(lines()).toContainEqual(
      expect.objectContaining({ kind: "SPACE/POOL", called: "pool default-ipv4", item: "created" }),
    );
  });

  it("becomes a line of the trail for an assign, with its author and the slot that it took", async () => {
    const { body } = await assign("web-9");
    const [{ block }] = body.addresses;
    await eventually(() =>
      expect(lines()).toContainEqual(
        expect.objectContaining({
          kind: "BLOCK",
          called: `block ${block.split("/")[0]}`,
          by: expect.objectContaining({
            requestId: body.requestId,
            principal: expect.stringMatching(/^arn:aws:iam::/),
            sourceIp: expect.any(String),
          }),
          changes: expect.arrayContaining([
            expect.objectContaining({ path: expect.arrayContaining(["slots"]) }),
          ]),
        }),
      ),
    );
  });

  it("has lines with all columns of Athena's table, and no other field, where the table looks for them", async () => {
    const { columns, template } = tableIn(stacks);
    const fields = new Set(lines().flatMap((line) => fieldsOfValue("", line)));
    expect([...fields].sort()).toEqual(
      columns.flatMap(({ name, type }) => fieldsOfType(name, type)).sort(),
    );
    const [, folder = ""] = /^s3:\/\/[^/]+\/(.*)$/.exec(template) ?? [];
    for (const [key, object] of twin.services.objects) {
      const [line = ""] = gunzipSync(object).toString().split("\n");
      const hour = JSON.parse(line).at.slice(0, 13).replaceAll(/[-T]/g, "/");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Athena's own variable.
      expect(key.startsWith(`${folder.replace("${hour}", hour)}/`)).toBe(true);
    }
  });

  it("reaches the consumer of the example, whose rule takes it: it makes the records of an address", async () => {
    const named = { attributes: { dns: "web-8.example.com" } };
    await call("POST", "/v1/assign", { host: "node-1", ipv4: 1, handle: "web-8", ...named });
    await eventually(() => expect(typesOf("web-8")).toEqual(["AddressAssigned"]));
    await call("POST", "/v1/release", { handle: "web-8" });
    await eventually(() => expect(typesOf("web-8")).toContain("AddressReleased"));
    const taken = twin.services.events.filter(
      ({ Source, DetailType }) =>
        RULE.source.includes(Source) && RULE["detail-type"].includes(DetailType),
    );
    const [assigned, released] = taken
      .map(({ Detail }) => JSON.parse(Detail))
      .filter(({ handle }) => handle === "web-8");
    const { changes, remember } = planOf(new Map(), [assigned], 60);
    const made = changes.map(({ Action, ResourceRecordSet: { Name, Type } }) => [
      Action,
      Type,
      Name,
    ]);
    expect(made).toContainEqual(["UPSERT", "A", "web-8.example.com."]);
    const after = planOf(remember, [released], 60).changes.map(({ Action }) => Action);
    expect(after).toEqual(["DELETE", "DELETE"]);
  });

  it("loses nothing while the bus is down", async () => {
    twin.services.isBusDown = true;
    await assign("web-1");
    await assign("web-2");
    await eventually(() => expect(twin.services.rejections).toBeGreaterThan(1));
    expect([...typesOf("web-1"), ...typesOf("web-2")]).toEqual([]);
    twin.services.isBusDown = false;
    await eventually(() => {
      expect(new Set(typesOf("web-1"))).toEqual(new Set(["AddressAssigned"]));
      expect(new Set(typesOf("web-2"))).toEqual(new Set(["AddressAssigned"]));
    });
  });

  it("puts a change that nobody can read aside, and publishes what follows", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await twin.database.send(
      new PutItemCommand({
        TableName: twin.deployment.table.name,
        Item: { pk: { S: "SPACE#other" }, sk: { S: "POOL#broken" }, f: { N: "99" } },
      }),
    );
    await assign("web-3");
    await eventually(() => expect(typesOf("web-3")).toEqual(["AddressAssigned"]));
    expect(twin.queues.messages.map(({ body }) => body)).toMatchObject([
      { key: { pk: "SPACE#other", sk: "POOL#broken" } },
    ]);
  });
});

/** Returns the columns of the table over the trail, and where it looks for the objects of an hour. */
function tableIn(stacks: readonly Stack[]) {
  const [{ TableInput } = expect.fail()] = stacks.flatMap((stack) =>
    Object.values(stack.resources)
      .filter(({ Type }) => Type === "AWS::Glue::Table")
      .map(({ Properties }) => new Intrinsics(stacks).resolve(stack, Properties) as GlueTable),
  );
  return {
    columns: TableInput.StorageDescriptor.Columns.map(({ Name, Type }) => ({
      name: Name,
      type: Type,
    })),
    template: TableInput.Parameters["storage.location.template"],
  };
}

interface GlueTable {
  readonly TableInput: {
    readonly Parameters: Readonly<Record<"storage.location.template", string>>;
    readonly StorageDescriptor: {
      readonly Columns: readonly { readonly Name: string; readonly Type: string }[];
    };
  };
}
