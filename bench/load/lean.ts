import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import type { Sender } from "../../src/store/dynamo.ts";
import { type Answer, Connection } from "./connection.ts";

interface Command {
  readonly input: object;
}

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of all commands, and only their bytes are looked for
type Wired = any;

const OPERATIONS = new Map<unknown, string>([
  [GetItemCommand, "GetItem"],
  [QueryCommand, "Query"],
  [ScanCommand, "Scan"],
  [PutItemCommand, "PutItem"],
  [UpdateItemCommand, "UpdateItem"],
  [DeleteItemCommand, "DeleteItem"],
]);

/**
 * Carries the product's commands to the embedded database for a fraction of what the SDK's client costs, so that a race of
 * a million operations is feasible. The table is the product's, with its expressions, its marshalling and its sorting of
 * errors. Not exercised is what the SDK does with a command: its schemas, middlewares, signature and time-outs.
 */
export class LeanClient {
  readonly #endpoint: URL;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];

  constructor(endpoint: string) {
    this.#endpoint = new URL(endpoint);
  }

  /** Typed as the SDK's, whose commands say what they are answered with. */
  readonly send = (async (command: Command) => {
    const operation = OPERATIONS.get(command.constructor);
    if (!operation) throw new Error(`the table sends no ${command.constructor.name}`);
    turnBytes(command.input, textOf);
    const { status, text } = await this.#ask(operation, JSON.stringify(command.input));
    const answer = JSON.parse(text);
    turnBytes(answer, bytesOf);
    if (status !== 200) throw errorOf(status, answer);
    return answer;
  }) as Sender["send"];

  destroy(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Over a connection of its own: as many there are as there ever were requests at once. */
  async #ask(operation: string, payload: string): Promise<Answer> {
    const connection = this.#idle.pop() ?? this.#connect();
    const answer = await connection.ask(operation, payload);
    this.#idle.push(connection);
    return answer;
  }

  #connect(): Connection {
    const connection = new Connection(this.#endpoint, () => {
      this.#connections.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#connections.add(connection);
    return connection;
  }
}

/** Every `B` of every attribute value in there, in its place. */
function turnBytes(wired: Wired, turn: (bytes: Wired) => unknown): void {
  for (const name in wired) {
    const value = wired[name];
    if (typeof value !== "object" || value === null) continue;
    if (value.B !== undefined) value.B = turn(value.B);
    else turnBytes(value, turn);
  }
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64"));

/** What the SDK makes of an answer that is none. */
function errorOf(status: number, { __type, message, Item }: Wired): Error {
  const name = String(__type).replace(/^.*#/, "");
  const $metadata = { httpStatusCode: status };
  if (name === "ConditionalCheckFailedException")
    return new ConditionalCheckFailedException({ message, Item, $metadata });
  return Object.assign(new Error(message), { name, $metadata });
}
