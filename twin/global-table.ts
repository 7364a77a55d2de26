import { Agent, createServer, type Server, type ServerResponse, request as send } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import { type KeptEmulator, keepEmulator } from "../src/local/kept-emulator.ts";
import { contextOf, dynamoClient, tableIn } from "../src/wiring.ts";
import { createTables, type Database } from "./database.ts";
import type { Deployment } from "./deployment.ts";
import { operationOf, refuse, WRITES } from "./table-proxy.ts";

export interface GlobalTableProps extends Pick<Deployment, "table" | "otherTables"> {
  /** The Regions that serve requests. */
  readonly regions: readonly string[];
  /** A Region that stores writes and serves no requests. */
  readonly witness?: string | undefined;
  /** The promise of the table; `strong` if absent. */
  readonly consistency?: Consistency | undefined;
  /** Resolves when a message has reached another Region, and its answer is back. */
  readonly roundTrip?: (() => Promise<unknown>) | undefined;
}

/**
 * The promise of a global table: `strong` is multi-Region strong consistency. For tests of a judge, `unchecked` is the same
 * without a conflict between two Regions, and `eventual` answers before other Regions have the write.
 */
export type Consistency = "strong" | "unchecked" | "eventual";

/** The time that a message takes to another Region and back. */
const ROUND_TRIP_MS = 5;
/** A write is acknowledged when this many Regions have stored it. */
const STORED_MIN = 2;

/** The latest state of an item that a Region has stored; absent after a delete. */
interface Entry {
  readonly number: number;
  readonly key: Attributes;
  readonly item: Attributes | undefined;
}

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A Region of the table. A witness has no copy. */
interface Region {
  readonly name: string;
  /** The last write of each item. */
  readonly stored: Map<string, Entry>;
  readonly copy: Copy | undefined;
  /** True while it stores no writes. */
  isLost: boolean;
  /** True while it answers nobody: it is lost, or is being brought up to date. */
  isSilent: boolean;
}

interface Copy {
  readonly emulator: KeptEmulator;
  readonly server: Server;
  readonly endpoint: string;
  /** Resolves when the writes of other Regions that arrived are in the copy. */
  arrived: Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface InFlight {
  readonly region: Region;
  readonly done: Promise<unknown>;
}

/**
 * Plays a global table with multi-Region strong consistency: an embedded DynamoDB for each Region, and before each an endpoint
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html).
 *
 * * A write is evaluated on the copy of its Region. It is acknowledged when all Regions that can be reached have it, and at least two.
 * * While it is on its way, another Region's write of the item gets `ReplicatedWriteConflictException`, and is not applied.
 * * A strongly consistent read waits for the writes of its items that are on their way, so it sees what any Region acknowledged.
 * * A lost Region answers nobody and hears of nothing. If it returns, it gets what it missed before it answers.
 *
 * A write that was on its way out of a Region as that was lost is applied everywhere or nowhere, and is not answered. The
 * tables beside the main one are of each Region alone.
 */
export class GlobalTable {
  /** Writes that were refused because another Region wrote the item. */
  conflicts = 0;
  readonly #props: GlobalTableProps;
  readonly #regions: readonly Region[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #inFlight = new Map<string, InFlight>();
  /** Writes that were answered before they are everywhere. */
  readonly #later = new Set<Promise<void>>();
  readonly #roundTrip: () => Promise<unknown>;
  readonly #consistency: Consistency;
  #written = 0;

  private constructor(props: GlobalTableProps, regions: readonly Region[]) {
    this.#props = props;
    this.#regions = regions;
    this.#roundTrip = props.roundTrip ?? (() => sleep(ROUND_TRIP_MS));
    this.#consistency = props.consistency ?? "strong";
  }

  /** Starts the copies, and creates the tables in each. */
  static async open(props: GlobalTableProps): Promise<GlobalTable> {
    const regions: Region[] = [];
    const table = new GlobalTable(props, regions);
    for (const name of props.regions) {
      const emulator = await keepEmulator(undefined);
      const client = dynamoClient(emulator.endpoint);
      await createTables(client, props);
      client.destroy();
      const server = createServer(KEPT_OPEN);
      const endpoint = `http://127.0.0.1:${await listen(server, 0)}`;
      const copy: Copy = { emulator, server, endpoint, arrived: Promise.resolve() };
      const region: Region = { name, stored: new Map(), copy, isLost: false, isSilent: false };
      server.on("request", async (request, response) => {
        const call = { headers: request.headers, body: await buffer(request) };
        await table.#serve(region, call, response).catch((error) => response.destroy(error));
      });
      regions.push(region);
    }
    if (props.witness !== undefined)
      regions.push({
        name: props.witness,
        stored: new Map(),
        copy: undefined,
        isLost: false,
        isSilent: false,
      });
    return table;
  }

  /** Returns the table as the twin of one Region has it. A stop of that twin leaves the table. */
  databaseOf(name: string): Database {
    const { endpoint } = copyOf(this.#region(name));
    const client = dynamoClient(endpoint);
    return {
      endpoint,
      client,
      context: contextOf(tableIn(client, this.#props.table.name)),
      lost: new Promise(() => {}),
      stop: async () => client.destroy(),
    };
  }

  /** Loses a Region: whoever waits for an answer of it gets none. */
  lose(name: string): void {
    const region = this.#region(name);
    region.isLost = true;
    region.isSilent = true;
    region.copy?.server.closeAllConnections();
  }

  /** Brings a lost Region back, with everything that the others stored meanwhile. */
  async restore(name: string): Promise<void> {
    const region = this.#region(name);
    const missed = this.#live().flatMap(({ stored }) => [...stored.values()]);
    // What others write from now on comes after this in the order of arrival.
    for (const entry of missed) void this.#arrive(region, entry);
    region.isLost = false;
    await region.copy?.arrived;
    region.isSilent = false;
  }

  /** Returns the keys of items that two of the Regions store differently. All of them must be there. */
  async differences(): Promise<readonly string[]> {
    await Promise.all(this.#later);
    const contents = await Promise.all(
      this.#props.regions.map((name) => this.#contents(copyOf(this.#region(name)))),
    );
    const [first = new Map<string, string>(), ...others] = contents;
    return others.flatMap((other) =>
      [...new Set([...first.keys(), ...other.keys()])].filter(
        (key) => first.get(key) !== other.get(key),
      ),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map(({ done }) => done));
    await Promise.all(this.#later);
    this.#agent.destroy();
    for (const { copy } of this.#regions) {
      copy?.server.close();
      copy?.server.closeAllConnections();
      await copy?.emulator.stop();
    }
  }

  async #serve(region: Region, call: Call, response: ServerResponse): Promise<void> {
    if (region.isSilent) return void response.destroy();
    const operation = operationOf(call.headers);
    const input = operation === "" ? {} : JSON.parse(call.body.toString("utf8"));
    if (input.TableName !== this.#props.table.name)
      return pass(await this.#ask(region, call), response);
    if (operation === "DescribeTable") return this.#describe(region, call, response);
    if (WRITES.has(operation)) return this.#write(region, call, input, response);
    if (input.ConsistentRead === true) await this.#settled(operation, input);
    return pass(await this.#ask(region, call), response);
  }

  async #write(region: Region, call: Call, input: Input, response: ServerResponse): Promise<void> {
    const { key } = this.#keyOf(input);
    const text = textOf(key);
    const lock = this.#consistency === "strong" ? text : `${region.name}/${text}`;
    for (let other = this.#inFlight.get(lock); other; other = this.#inFlight.get(lock)) {
      if (other.region !== region) {
        this.conflicts++;
        return refuse(response, CONFLICT);
      }
      await other.done;
    }
    if (region.isSilent) return void response.destroy();
    if (this.#live().length < STORED_MIN) return refuse(response, NO_QUORUM);
    const written = this.#carryOut(region, call, key);
    const done = written.then(
      () => this.#inFlight.delete(lock),
      () => this.#inFlight.delete(lock),
    );
    this.#inFlight.set(lock, { region, done });
    const answer = await written;
    if (region.isSilent) response.destroy();
    else pass(answer, response);
  }

  /** Writes the copy of a Region, and then stores the write in the others. */
  async #carryOut(region: Region, call: Call, key: Attributes): Promise<Answer> {
    const answer = await this.#ask(region, call);
    if (answer.status !== 200) return answer;
    const item = await this.#read(region, key);
    const entry = { number: ++this.#written, key, item };
    region.stored.set(textOf(key), entry);
    const replicated = this.#replicate(region, entry);
    if (this.#consistency === "eventual") this.#later.add(replicated);
    else await replicated;
    return answer;
  }

  async #replicate(from: Region, entry: Entry): Promise<void> {
    await this.#roundTrip();
    await Promise.all(
      this.#live()
        .filter((region) => region !== from)
        .map((region) => this.#arrive(region, entry)),
    );
  }

  /** Stores the write of another Region, unless a later one is there. Writes arrive one after the other. */
  #arrive(region: Region, entry: Entry): Promise<void> {
    const text = textOf(entry.key);
    const isLate = () => (region.stored.get(text)?.number ?? 0) >= entry.number;
    if (!region.copy) {
      if (!isLate()) region.stored.set(text, entry);
      return Promise.resolve();
    }
    region.copy.arrived = region.copy.arrived.then(async () => {
      if (isLate()) return;
      region.stored.set(text, entry);
      const { key, item } = entry;
      const TableName = this.#props.table.name;
      if (item) await this.#own(region, "PutItem", { TableName, Item: item });
      else await this.#own(region, "DeleteItem", { TableName, Key: key });
    });
    return region.copy.arrived;
  }

  /** Resolves when the writes that a read could see, and that are on their way, have arrived. */
  async #settled(operation: string, input: Input): Promise<void> {
    if (this.#consistency !== "strong") return;
    const { ExpressionAttributeValues, Key } = input;
    const prefix =
      operation === "GetItem"
        ? textOf(Key ?? {})
        : operation === "Query"
          ? `${JSON.stringify(ExpressionAttributeValues?.[":pk"])}/`
          : "";
    await Promise.all(
      [...this.#inFlight].filter(([text]) => text.startsWith(prefix)).map(([, { done }]) => done),
    );
  }

  /** Describes the table of the Region for which the call is signed. */
  async #describe(region: Region, call: Call, response: ServerResponse): Promise<void> {
    const [, signedFor] =
      /Credential=[^/]+\/[^/]+\/([^/]+)\//.exec(call.headers.authorization ?? "") ?? [];
    const named = this.#regions.find(({ name, copy }) => copy && name === signedFor) ?? region;
    if (named.isSilent) return void response.destroy();
    const { Table } = await this.#own(named, "DescribeTable", {
      TableName: this.#props.table.name,
    });
    const [arn, partition, service, , ...rest] = Table.TableArn.split(":");
    const described = {
      ...Table,
      TableArn: [arn, partition, service, named.name, ...rest].join(":"),
      Replicas: this.#props.regions.map((RegionName) => ({ RegionName })),
    };
    pass({ status: 200, body: Buffer.from(JSON.stringify({ Table: described })) }, response);
  }

  #keyOf({ Key, Item = {} }: Input): { readonly key: Attributes } {
    if (Key) return { key: Key };
    const names = this.#props.table.KeySchema.map(({ AttributeName }) => AttributeName);
    return { key: Object.fromEntries(names.map((name) => [name, Item[name] ?? {}])) };
  }

  async #read(region: Region, Key: Attributes): Promise<Attributes | undefined> {
    const input = { TableName: this.#props.table.name, Key, ConsistentRead: true };
    return (await this.#own(region, "GetItem", input)).Item;
  }

  async #contents({ emulator }: Copy): Promise<Map<string, string>> {
    const client = dynamoClient(emulator.endpoint);
    const table = tableIn(client, this.#props.table.name);
    const contents = new Map<string, string>();
    for (let after: Parameters<typeof table.scan>[1] | undefined = {}; after; ) {
      const { items, next } = await table.scan(SCANNED, after);
      for (const { pk, sk, ...item } of items) contents.set(`${pk}/${sk}`, sortedText(item));
      after = next && { after: next };
    }
    client.destroy();
    return contents;
  }

  /** Calls the copy of a Region in the name of the table. */
  async #own(region: Region, operation: string, input: object) {
    const body = Buffer.from(JSON.stringify(input));
    const headers = { ...OWN_HEADERS, "x-amz-target": `DynamoDB_20120810.${operation}` };
    const answer = await this.#ask(region, { headers, body });
    if (answer.status !== 200)
      throw new Error(`${operation} in ${region.name}: ${answer.body.toString("utf8")}`);
    return JSON.parse(answer.body.toString("utf8"));
  }

  #ask(region: Region, { headers, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = send(
        copyOf(region).emulator.endpoint,
        {
          method: "POST",
          headers: { ...headers, "content-length": body.length },
          agent: this.#agent,
        },
        (answer) => {
          buffer(answer).then(
            (body) => resolve({ status: answer.statusCode ?? 500, body }),
            reject,
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  #live(): readonly Region[] {
    return this.#regions.filter(({ isLost }) => !isLost);
  }

  #region(named: string): Region {
    const region = this.#regions.find(({ name }) => name === named);
    if (!region) throw new Error(`${named} is no Region of the table`);
    return region;
  }
}

interface Call {
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly authorization?: string | undefined;
  };
  readonly body: Buffer;
}

interface Input {
  readonly TableName?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly ConsistentRead?: boolean;
  readonly ExpressionAttributeValues?: Attributes;
}

/** Items of a page, as the differences are looked for. */
const SCANNED = 500;

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html */
const CONFLICT = {
  code: "ReplicatedWriteConflictException",
  message:
    "The request was rejected because one or more items in the request are being modified by a request in another Region.",
};
const NO_QUORUM = { status: 500, code: "InternalServerError", message: "Internal server error" };

/** The embedded DynamoDB wants a signature, and does not check it. */
const OWN_HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "19700101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=twin/19700101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=none",
};

/** Returns a text for each key: the partition first, so that it begins the texts of its items. */
const textOf = ({ pk, sk }: Attributes): string => `${JSON.stringify(pk)}/${JSON.stringify(sk)}`;

const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    one instanceof Set
      ? [...one].sort()
      : one && typeof one === "object" && !Array.isArray(one) && !ArrayBuffer.isView(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
  );

function copyOf({ name, copy }: Region): Copy {
  if (!copy) throw new Error(`${name} is the witness, which serves no requests`);
  return copy;
}

function pass({ status, body }: Answer, response: ServerResponse): void {
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": body.length,
  });
  response.end(body);
}
