import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { event } from "../src/contract/answers.ts";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import type { DeployedParameter, Role } from "./deployment.ts";
import { decide } from "./iam.ts";
import type { Queues } from "./queues.ts";

export interface ServicesProps {
  readonly account: string;
  readonly region: string;
  readonly parameters: readonly DeployedParameter[];
  /** Has the folders `secrets`, `parameters` and `buckets`, with a file for each of theirs by its name. */
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

/** Returns true if the caller may do an action on a resource. */
type May = (action: string, resource: string) => boolean;

/** The end of the ARN of a secret, which is random in AWS. */
const SECRET_SUFFIX = "AbCdEf";

/**
 * The services of AWS that functions call beside their table, under the policies of the caller. EventBridge, S3, SQS and
 * Secrets Manager have one operation each: `PutEvents`, `PutObject`, `SendMessage` and `GetSecretValue`. Systems Manager has
 * `GetParameter` and `PutParameter`. The bus delivers to no rule; it keeps its events for tests and for people.
 */
export class Services {
  readonly events: BusEvent[] = [];
  /** The bodies of objects, by their keys. They are files as well. */
  readonly objects = new Map<string, Buffer>();
  /** True while EventBridge rejects every entry. */
  isBusDown = false;
  /** The calls that EventBridge rejected meanwhile. */
  rejections = 0;
  readonly #props: ServicesProps;
  readonly #server = createServer(KEPT_OPEN, (request, response) => {
    this.#serve(request, response).catch((error) => response.destroy(error));
  });

  constructor(props: ServicesProps) {
    this.#props = props;
  }

  /** Starts to listen, and returns the endpoint of all services. */
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

  #answer(
    { method, url = "/", headers }: IncomingMessage,
    body: Buffer,
    role: Role | undefined,
  ): Answer {
    const may: May = (action, resource) =>
      decide(role?.statements ?? [], { action, resource }) === "allowed";
    if (method === "PUT") return this.#putObject(decodeURIComponent(url), body, may);
    const call = JSON.parse(body.toString("utf8"));
    switch (headers["x-amz-target"]) {
      case "AWSEvents.PutEvents":
        return this.#putEvents(call.Entries, may);
      case "AmazonSQS.SendMessage":
        return this.#sendMessage(call, may);
      case "secretsmanager.GetSecretValue":
        return this.#getSecretValue(call.SecretId, may);
      case "AmazonSSM.GetParameter":
        return this.#getParameter(call.Name, may);
      case "AmazonSSM.PutParameter":
        return this.#putParameter(call.Name, call.Value, may);
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
    this.#write("buckets", object, body);
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

  #getSecretValue(name: string, may: May): Answer {
    const { account, region } = this.#props;
    const action = "secretsmanager:GetSecretValue";
    const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-${SECRET_SUFFIX}`;
    if (!may(action, arn))
      return {
        status: 400,
        body: {
          __type: "AccessDeniedException",
          Message: `not authorized to perform: ${action} on resource: ${arn}`,
        },
      };
    const secret = this.#read("secrets", name);
    return secret === undefined
      ? {
          status: 400,
          body: {
            __type: "ResourceNotFoundException",
            Message: "Secrets Manager can't find the specified secret.",
          },
        }
      : { status: 200, body: { ARN: arn, Name: name, SecretString: secret } };
  }

  #getParameter(name: string, may: May): Answer {
    const parameter = this.#parameter(name);
    if (!parameter) return NO_PARAMETER;
    if (!may("ssm:GetParameter", parameter.arn)) return DENIED;
    const Value = this.#read("parameters", name) ?? parameter.value;
    return { status: 200, body: { Parameter: { Name: name, Type: "String", Value } } };
  }

  #putParameter(name: string, value: string, may: May): Answer {
    const parameter = this.#parameter(name);
    if (!parameter) return NO_PARAMETER;
    if (!may("ssm:PutParameter", parameter.arn)) return DENIED;
    this.#write("parameters", name, value);
    return { status: 200, body: { Version: 1, Tier: "Standard" } };
  }

  #parameter(name: string): DeployedParameter | undefined {
    return this.#props.parameters.find((parameter) => parameter.name === name);
  }

  /** Returns the text of a file; nothing if there is none. */
  #read(folder: string, name: string): string | undefined {
    try {
      return readFileSync(join(this.#props.directory, folder, name), "utf8");
    } catch {
      return undefined;
    }
  }

  #write(folder: string, name: string, content: string | Buffer): void {
    const file = join(this.#props.directory, folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const DENIED: Answer = { status: 400, body: { __type: "AccessDeniedException" } };
const NO_PARAMETER: Answer = { status: 400, body: { __type: "ParameterNotFound" } };
