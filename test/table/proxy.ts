import {
  Agent,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from "node:http";
import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";

/** The faults that a proxy adds to requests. It does not add a fault that is left out. */
export interface Troubles {
  /** The maximum delay of each request, and of each answer. Later ones overtake earlier ones. */
  readonly delayMsMax?: number;
  /**
   * The share of writes over which the connection breaks: at the answer, or before a write that is
   * carried out later.
   */
  readonly cutShare?: number;
  /** The write units per second of a partition key. It saves up the units of one second. */
  readonly unitsPerSecond?: number;
}

export interface ProxyOptions extends Troubles {
  /** The DynamoDB behind the proxy, which must not verify signatures. */
  readonly endpoint: string;
  readonly random: Random;
  now(): number;
  sleep(ms: number): Promise<void>;
}

const TROUBLES = ["throttled", "answer cut", "late", "overtaken"] as const;
type Trouble = (typeof TROUBLES)[number];

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem"]);
const UNIT_BYTES = 1024;

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/**
 * A proxy that adds DynamoDB's faults to a DynamoDB without any, because no emulator has them. The
 * random source makes all its draws. The callers decide the order of the requests.
 */
export class BadDay {
  readonly endpoint: string;
  /** The count of each fault. */
  readonly seen = new Map<Trouble, number>(TROUBLES.map((trouble) => [trouble, 0]));
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #buckets = new Map<string, Bucket>();
  readonly #underWay = new Set<Promise<void>>();
  #arrived = 0;
  #furthest = 0;

  private constructor(options: ProxyOptions, server: Server, port: number) {
    this.#options = options;
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${port}`;
    server.on("request", (request, response) => {
      const serving = this.#serve(request, response).catch(() => cut(request));
      this.#underWay.add(serving);
      void serving.finally(() => this.#underWay.delete(serving));
    });
  }

  static async open(options: ProxyOptions): Promise<BadDay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("the proxy has no port");
    return new BadDay(options, server, address.port);
  }

  /** Waits until no request is in progress, late writes included. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async stop(): Promise<void> {
    await this.settled();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = ++this.#arrived;
    const text = await textOf(request);
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const isWrite = WRITES.has(operation);
    const isCut = isWrite && this.#chance(this.#options.cutShare ?? 0);
    const isLate = isCut && this.#chance(0.5);
    if (isLate) {
      this.#count("late");
      cut(request);
    }
    await this.#delay();
    if (place < this.#furthest) this.#count("overtaken");
    this.#furthest = Math.max(this.#furthest, place);
    const reply = isWrite
      ? await this.#write(request, JSON.parse(text))
      : await this.#forward(request, text);
    await this.#delay();
    if (isLate) return;
    if (isCut) {
      this.#count("answer cut");
      cut(request);
    } else {
      response.writeHead(reply.status, reply.headers).end(reply.text);
    }
  }

  /**
   * Charges a partition key for a write. A failed condition costs as much as the item that made it
   * fail.
   */
  async #write(request: IncomingMessage, input: WriteInput): Promise<Reply> {
    const { unitsPerSecond } = this.#options;
    if (unitsPerSecond === undefined) return this.#forward(request, JSON.stringify(input));
    const key = `${input.TableName} ${(input.Item ?? input.Key)?.pk?.S}`;
    const bucket = this.#buckets.get(key) ?? new Bucket(unitsPerSecond, this.#options.now());
    this.#buckets.set(key, bucket);
    if (bucket.isEmpty(this.#options.now())) {
      this.#count("throttled");
      return throttled(this.#chance(0.5));
    }
    const reply = await this.#forward(
      request,
      JSON.stringify({ ...input, ReturnConsumedCapacity: "TOTAL" }),
    );
    const { ConsumedCapacity, Item } = JSON.parse(reply.text);
    const current = Item ? Math.ceil(Buffer.byteLength(JSON.stringify(Item)) / UNIT_BYTES) : 1;
    bucket.take(ConsumedCapacity?.CapacityUnits ?? current);
    return reply;
  }

  #forward({ method, url, headers }: IncomingMessage, text: string): Promise<Reply> {
    const length = { "content-length": String(Buffer.byteLength(text)) };
    return new Promise((resolve, reject) => {
      const sent = send(
        new URL(url ?? "/", this.#options.endpoint),
        { method, agent: this.#agent, headers: { ...headers, ...length } },
        (response) => {
          const { statusCode: status = 0, headers } = response;
          textOf(response).then((text) => resolve({ status, headers, text }), reject);
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
  }

  async #delay(): Promise<void> {
    const { delayMsMax, random, sleep } = this.#options;
    if (delayMsMax !== undefined) await sleep(randomBelow(delayMsMax + 1, random));
  }

  #chance(share: number): boolean {
    return this.#options.random.fraction() < share;
  }

  #count(trouble: Trouble): void {
    this.seen.set(trouble, (this.seen.get(trouble) ?? 0) + 1);
  }
}

interface WriteInput {
  readonly TableName: string;
  readonly Item?: { readonly pk?: { readonly S?: string } };
  readonly Key?: { readonly pk?: { readonly S?: string } };
}

/**
 * The write units that a key has left. The cost of a write is known after it, so the last one may
 * overdraw.
 */
class Bucket {
  readonly #unitsPerSecond: number;
  #units: number;
  #atMs: number;

  constructor(unitsPerSecond: number, nowMs: number) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#units = unitsPerSecond;
    this.#atMs = nowMs;
  }

  isEmpty(nowMs: number): boolean {
    const come = ((nowMs - this.#atMs) / 1000) * this.#unitsPerSecond;
    this.#units = Math.min(this.#unitsPerSecond, this.#units + come);
    this.#atMs = nowMs;
    return this.#units <= 0;
  }

  take(units: number): void {
    this.#units -= units;
  }
}

/** Returns either of the two errors with which DynamoDB throttles, in its own words. */
function throttled(onDemand: boolean): Reply {
  const [type, message] = onDemand
    ? [
        "com.amazon.coral.availability#ThrottlingException",
        "Throughput exceeds the current capacity of your table or index.",
      ]
    : [
        "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
        "The level of configured provisioned throughput for the table was exceeded.",
      ];
  return {
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.0" },
    text: JSON.stringify({ __type: type, message }),
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function cut({ socket }: IncomingMessage): void {
  socket.destroy();
}
