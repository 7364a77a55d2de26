import "./silent.ts";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionsOver } from "../../src/local/functions.ts";
import { type Serving, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { call } from "./process.ts";

let serving: Serving;
let url: string;

beforeAll(async () => {
  const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
  serving = await serve(handlers, { port: 0 });
  url = `http://127.0.0.1:${serving.port}`;
});

afterAll(() => serving.stop());

/** Assigns an address with a header for each key, and returns the status and the body. */
const assignUnder = (keys: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    const headers = { "content-type": "application/json", "idempotency-key": [...keys] };
    request(`${url}/v1/assign`, { method: "POST", headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (text) => {
        body += text;
      });
      answer.on("end", () => resolve(`${answer.statusCode} ${body}`));
    })
      .on("error", reject)
      .end(JSON.stringify({ host: "n1", ipv4: 1 }));
  });

describe("the server", () => {
  it("serves the API as API Gateway does", async () => {
    const pool = await call(url, "PUT", "/v1/pools/main", { cidr: "10.0.0.0/24" });
    expect(pool.status).toBe(201);
    const handle = "h 1 ü";
    const assigned = await call(url, "POST", "/v1/assign", { host: "n1", ipv4: 1, handle });
    expect(assigned).toMatchObject({ status: 200, body: { handle } });
    const read = await call(url, "GET", `/v1/handles/${encodeURIComponent(handle)}`);
    expect(read.body.addresses).toHaveLength(1);
    expect((await call(url, "GET", "/v1/spaces/blue/pools")).body.pools).toEqual([]);
  });

  it("leads to a block whether or not the slash of its CIDR is encoded", async () => {
    await call(url, "POST", "/v1/assign", { host: "n1", address: "10.0.0.7", handle: "h" });
    for (const path of ["10.0.0.0/26", "10.0.0.0%2F26", "10.0.0.0%2f26"]) {
      const { status, body } = await call(url, "GET", `/v1/blocks/${path}`);
      expect({ status, cidr: body.cidr }).toEqual({ status: 200, cidr: "10.0.0.0/26" });
    }
  });

  it("takes a target in its absolute form, as proxies send it", async () => {
    const status = await new Promise((resolve, reject) =>
      request({ port: serving.port, path: `${url}/v1/pools?limit=1` }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end(),
    );
    expect(status).toBe(200);
  });

  it.each(["ns/pod//a/", "/ns/pod"])(
    "leads to a handle with slashes such as %s, whether or not they are encoded",
    async (handle) => {
      await call(url, "POST", "/v1/assign", { host: "n1", ipv4: 1, handle });
      for (const path of [handle, encodeURIComponent(handle)]) {
        const { body } = await call(url, "GET", `/v1/handles/${path}`);
        expect({ handle: body.handle, held: body.addresses.length }).toEqual({ handle, held: 1 });
      }
      const released = await call(url, "DELETE", `/v1/handles/${handle}`);
      expect(released.body.released).toHaveLength(1);
    },
  );

  it("rejects a request with two Idempotency-Key headers, also if they are the same", async () => {
    for (const keys of [
      ["k-1", "k-2"],
      ["k-1", "k-1"],
    ])
      expect(await assignUnder(keys)).toMatch(/^400 .*"field":"Idempotency-Key"/);
    expect(await assignUnder(["k-1"])).toMatch(/^200 /);
  });

  it("knows headers however they are written", async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${url}/v1/pools/main`, {
        method: "PUT",
        body: JSON.stringify({ cidr: "10.0.0.0/24", disabled: true }),
        headers: { "CONTENT-TYPE": "application/json", ...headers },
      });
    expect((await send({})).status).toBe(428);
    expect((await send({ "IF-MATCH": '"AaH9bgInfBgZ-A0"' })).status).toBe(412);
  });

  it.each([
    ["GET", "/", 404, "not_found"],
    ["GET", "/v1/pools/", 404, "not_found"],
    ["GET", "/v1/pools/a/b", 404, "not_found"],
    ["GET", "/V1/pools", 404, "not_found"],
    ["GET", "//v1/pools", 404, "not_found"],
    ["DELETE", "/v1/config", 405, "method_not_allowed"],
    ["PATCH", "/v1/assign", 405, "method_not_allowed"],
    ["GET", "/v1/addresses/%zz", 400, "invalid_request"],
    ["GET", "/v1/addresses/10.0.0", 400, "invalid_request"],
    ["GET", "/v1/handles/%ED%A0%80", 400, "invalid_request"],
    ["GET", "/v1/pools?dryRun=true", 400, "invalid_request"],
    ["DELETE", "/v1/handles/web%3F1", 400, "invalid_request"],
    ["DELETE", "/v1/handles/100%2541", 400, "invalid_request"],
    ["GET", "/v1/nodes/web%231/affinities", 400, "invalid_request"],
    ["GET", "/v1/blocks/10.0.0.0/26/1", 400, "invalid_request"],
    ["GET", "/v1/blocks/", 404, "not_found"],
    ["GET", "/v1/blocks?cursor=x", 400, "invalid_request"],
  ])("answers %s %s with %i", async (method, path, status, code) => {
    const reply = await raw(method, path);
    expect(reply).toMatchObject({ status, body: { status, code } });
    expect(reply.headers["content-type"]).toBe("application/problem+json");
    if (status === 405) expect(reply.headers.allow).toBeTruthy();
  });

  it("reads the whole of a body that is too large, and then says so", async () => {
    const large = JSON.stringify({ host: "n", ipv4: 1, pad: "x".repeat(3_000_000) });
    const { status, body } = await raw("POST", "/v1/assign", large);
    expect({ status, code: body.code }).toEqual({ status: 413, code: "payload_too_large" });
  });

  it("cuts off a body that does not end", async () => {
    const socket = connect(serving.port, "127.0.0.1");
    socket.write("POST /v1/assign HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000000\r\n\r\n");
    const chunk = Buffer.alloc(1_000_000, "x");
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", more).on("error", () => {});
    socket.resume();
    more();
    await new Promise((resolve) => socket.on("close", resolve));
  });

  it("rejects bytes that are no text", async () => {
    const { status, body } = await raw("POST", "/v1/assign", Buffer.from([0x7b, 0xff, 0x7d]));
    expect(status).toBe(400);
    expect(body.fields).toMatchObject([{ field: "body", problem: "is not UTF-8" }]);
  });

  it("serves many requests over one connection", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 5; i++) ports.add((await raw("GET", "/healthz", undefined, agent)).port);
    agent.destroy();
    expect(ports.size).toBe(1);
  });
});

interface RawReply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
  readonly body: any;
  readonly port: number | undefined;
}

/** Sends a request exactly as written, because `fetch` would normalize the path. */
function raw(
  method: string,
  path: string,
  body?: string | Buffer,
  agent?: Agent,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: serving.port,
        method,
        path,
        headers: { ...(body !== undefined && { "content-type": "application/json" }) },
        ...(agent && { agent }),
      },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        const { statusCode, headers } = response;
        const port = sent.socket?.localPort;
        resolve({ status: statusCode, headers, body: JSON.parse(text), port });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("a server whose data goes to a disk", () => {
  it("replies after everything that it reports is on the disk, and says so if the disk failed", async () => {
    const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
    const flushes: { done(): void; fail(error: Error): void }[] = [];
    const onDisk = () =>
      new Promise<void>((done, fail) => {
        flushes.push({ done, fail });
      });
    const flushing = await serve(handlers, { port: 0, onDisk });
    const asked = (n: number) =>
      call(flushing.url, "GET", "/v1/pools").then((reply) => ({ n, status: reply.status }));
    const flushOf = async (n: number) => {
      while (flushes.length < n) await new Promise((resolve) => setImmediate(resolve));
      return flushes[n - 1];
    };
    const first = asked(1);
    const held = await flushOf(1);
    const second = asked(2);
    (await flushOf(2))?.fail(new Error("disk full"));
    // The second answer came while the first one was held back.
    expect(await Promise.race([first, second])).toEqual({ n: 2, status: 503 });
    held?.done();
    expect(await first).toEqual({ n: 1, status: 200 });
    await flushing.stop();
  });
});
