import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Sender } from "../../src/table/dynamodb-table.ts";
import { type Answer, Connection } from "./connection.ts";

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of all commands, of which only some members are used
type Wired = any;

interface Command {
  readonly input: Wired;
}

const OPERATIONS = new Map<unknown, string>([
  [GetCommand, "GetItem"],
  [QueryCommand, "Query"],
  [ScanCommand, "Scan"],
  [PutCommand, "PutItem"],
  [UpdateCommand, "UpdateItem"],
  [DeleteCommand, "DeleteItem"],
]);

/** The members of inputs and outputs that are items, or parts of one. */
const ASKED = ["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey"] as const;
const ANSWERED = ["Item", "Attributes", "LastEvaluatedKey"] as const;

/**
 * Sends the product's commands to the embedded database at a fraction of the cost of the SDK's client. So a race of a
 * million operations is feasible. It uses the product's table with its expressions and error handling, and the SDK's
 * marshalling. It does not use the SDK's schemas, middlewares, signature and time-outs.
 */
export class LeanClient {
  readonly #endpoint: URL;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];

  constructor(endpoint: string) {
    this.#endpoint = new URL(endpoint);
  }

  /** Has the type of the SDK's method, in which the command determines the answer. */
  readonly send = (async (command: Command) => {
    const operation = OPERATIONS.get(command.constructor);
    if (!operation) throw new Error(`the table sends no ${command.constructor.name}`);
    const { status, text } = await this.#ask(operation, JSON.stringify(wired(command.input)));
    const answer = JSON.parse(text);
    turnBytes(answer, bytesOf);
    // As from the document client: the item of a failed condition is not unmarshalled.
    if (status !== 200) throw errorOf(status, answer);
    return native(answer);
  }) as Sender["send"];

  destroy(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Sends over a free connection. The number of connections is the maximum of parallel requests so far. */
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

function wired(input: Wired): Wired {
  const output = { ...input };
  for (const name of ASKED) if (input[name]) output[name] = marshall(input[name]);
  turnBytes(output, textOf);
  return output;
}

function native(answer: Wired): Wired {
  for (const name of ANSWERED) if (answer[name]) answer[name] = unmarshall(answer[name]);
  answer.Items &&= answer.Items.map((item: Wired) => unmarshall(item));
  return answer;
}

/** Converts every `B` of every attribute value in place. */
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

/** Returns the error that the SDK makes of an error answer. */
function errorOf(status: number, { __type, message, Item }: Wired): Error {
  const name = String(__type).replace(/^.*#/, "");
  const $metadata = { httpStatusCode: status };
  if (name === "ConditionalCheckFailedException")
    return new ConditionalCheckFailedException({ message, Item, $metadata });
  return Object.assign(new Error(message), { name, $metadata });
}
