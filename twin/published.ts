import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { event } from "../src/contract/answers.ts";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import type { Role } from "./deployment.ts";
import { decide } from "./iam.ts";
import type { Queues } from "./queues.ts";

export interface PublishedProps {
  readonly account: string;
  readonly region: string;
  /** The directory that gets a folder for each bucket. */
  readonly directory: string;
  readonly queues: Queues;
  /** Roles by the access keys of their holders. */
  readonly roleOf: (accessKeyId: string) => Role | undefined;
}

/** An event that the bus has taken. */
export interface BusEvent {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  /** JSON. */
  readonly Detail: string;
}

/** An answer of one of the services. */
interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * EventBridge, S3 and SQS with one operation each, under the policies of the caller: `PutEvents`, `PutObject` and
 * `SendMessage`. The bus delivers to no rule; it keeps its events for tests and for people.
 */
export class Published {
  readonly events: BusEvent[] = [];
  /** The bodies of objects, by their keys. They are files as well. */
  readonly objects = new Map<string, Buffer>();
  /** True while EventBridge rejects every entry. */
  isBusDown = false;
  /** The calls that EventBridge rejected meanwhile. */
  rejections = 0;
  readonly #props: PublishedProps;
  readonly #server = createServer(KEPT_OPEN, (request, response) => {
    this.#serve(request, response).catch((error) => response.destroy(error));
  });

  constructor(props: PublishedProps) {
    this.#props = props;
  }

  /** Starts to listen, and returns the endpoint of all three services. */
  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server, 0)}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [, key = ""] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
    const { status, body: answer } = this.#answer(request, body, this.#props.roleOf(key));
    response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
    response.end(request.method === "PUT" && status === 200 ? "" : JSON.stringify(answer));
  }

  #answer({ method, url = "/", headers }: IncomingMessage, body: Buffer, role: Role | undefined) {
    const may = (action: string, resource: string) =>
      decide(role?.statements ?? [], { action, resource }) === "allowed";
    if (method === "PUT") return this.#putObject(decodeURIComponent(url), body, may);
    const call = JSON.parse(body.toString("utf8"));
    switch (headers["x-amz-target"]) {
      case "AWSEvents.PutEvents":
        return this.#putEvents(call.Entries, may);
      case "AmazonSQS.SendMessage":
        return this.#sendMessage(call, may);
      default:
        return { status: 400, body: { __type: "UnknownOperationException" } };
    }
  }

  #putEvents(entries: readonly BusEvent[], may: May): Answer {
    const { account, region } = this.#props;
    const buses = new Set(entries.map(({ EventBusName }) => EventBusName));
    for (const bus of buses)
      if (!may("events:PutEvents", `arn:aws:events:${region}:${account}:event-bus/${bus}`))
        return DENIED;
    if (this.isBusDown) this.rejections++;
    const results = entries.map((entry) => this.#putEvent(entry));
    const FailedEntryCount = results.filter(({ ErrorCode }) => ErrorCode).length;
    return { status: 200, body: { FailedEntryCount, Entries: results } };
  }

  /** Takes an event that the schema of its type describes. The bus of AWS would take others too. */
  #putEvent(entry: BusEvent): { readonly EventId?: string; readonly ErrorCode?: string } {
    if (this.isBusDown) return { ErrorCode: "InternalFailure" };
    const { issues } = v.safeParse(event, JSON.parse(entry.Detail));
    if (issues) {
      console.error(`an event is not as its schema says: ${v.summarize(issues)}`);
      return { ErrorCode: "MalformedDetail" };
    }
    this.events.push(entry);
    return { EventId: "id" };
  }

  /** @param path the bucket and the key, as in `/bucket/changes/x?x-id=PutObject` */
  #putObject(path: string, body: Buffer, may: May): Answer {
    const [, object = ""] = /^\/([^?]*)/.exec(path) ?? [];
    if (!may("s3:PutObject", `arn:aws:s3:::${object}`)) return { ...DENIED, status: 403 };
    const file = join(this.#props.directory, object);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
    this.objects.set(object.replace(/^[^/]*\//, ""), body);
    return { status: 200, body: {} };
  }

  #sendMessage(
    { QueueUrl, MessageBody }: { readonly QueueUrl: string; readonly MessageBody: string },
    may: May,
  ): Answer {
    const { account, region, queues } = this.#props;
    const arn = `arn:aws:sqs:${region}:${account}:${QueueUrl.replace(/^.*\//, "")}`;
    if (!may("sqs:SendMessage", arn)) return DENIED;
    queues.send(arn, JSON.parse(MessageBody));
    const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
    return { status: 200, body: { MessageId: "id", MD5OfMessageBody } };
  }
}

/** Returns true if the caller may do an action on a resource. */
type May = (action: string, resource: string) => boolean;

const DENIED: Answer = { status: 400, body: { __type: "AccessDeniedException" } };
