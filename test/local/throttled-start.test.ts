import "./silent.ts";
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { startPlat } from "../../src/local/plat.ts";
import { call } from "./process.ts";

const NEVER = { reclaimSeconds: 86_400, repairSeconds: 86_400, workSeconds: 86_400 };

/** Serves a DynamoDB of which the first call of each operation is throttled. */
async function throttledAtFirst(endpoint: string) {
  const throttled = new Set<string>();
  const server = createServer(async (request, response) => {
    const target = String(request.headers["x-amz-target"]);
    const [, operation = ""] = target.split(".");
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (!throttled.has(operation)) {
      throttled.add(operation);
      const type = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: type, message: "too fast" }));
      return;
    }
    const { authorization = "", "x-amz-date": date = "" } = request.headers;
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": target,
      "x-amz-date": String(date),
      authorization,
    };
    const answer = await fetch(endpoint, { method: "POST", headers, body: Buffer.concat(parts) });
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { throttled, endpoint: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

it.skipIf(!emulatorBinary())(
  "a start over a DynamoDB that throttles its first calls succeeds",
  async () => {
    const emulator = await startEmulator();
    const proxy = await throttledAtFirst(emulator.endpoint);
    const storage = { table: "endpoint", endpoint: proxy.endpoint } as const;
    const plat = await startPlat({ storage, port: 0, ...NEVER });
    expect((await call(plat.url, "GET", "/v1/pools")).body).toMatchObject({ pools: [] });
    expect([...proxy.throttled]).toEqual(
      expect.arrayContaining(["CreateTable", "DescribeTable", "GetItem", "Scan", "PutItem"]),
    );
    await plat.stop();
    proxy.stop();
    await emulator.stop();
  },
);
