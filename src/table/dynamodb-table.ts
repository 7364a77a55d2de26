import {
  ConditionalCheckFailedException,
  DescribeTableCommand,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type Outcome, ThrottledError, UnavailableError } from "../base/outcome.ts";
import type { Clause } from "./clause.ts";
import { TABLE } from "./definition.ts";
import type { AttributePath, Item, Key, Value } from "./item.ts";
import type { DescribedTable } from "./register.ts";
import type {
  DueKey,
  DueOptions,
  ItemPage,
  QueryOptions,
  ScanOptions,
  Table,
  Write,
} from "./table.ts";

/** Sends commands of a document client to DynamoDB, and returns its answers. */
export type Sender = Pick<DynamoDBDocumentClient, "send">;

/**
 * Returns the table in DynamoDB. The client must not repeat a write by itself (`maxAttempts: 1`).
 * The second copy of a request could land after its author has gone on (rule 3).
 */
export function dynamoTable(client: DynamoDBClient, tableName: string): Table {
  return tableThrough(DynamoDBDocumentClient.from(client), tableName);
}

/** Returns the table in DynamoDB, with a sender for its commands. */
export function tableThrough(client: Sender, TableName: string): Table {
  return {
    async get(key, { consistent = true } = {}) {
      const command = new GetCommand({ TableName, Key: key, ConsistentRead: consistent });
      const { Item } = await reading(() => client.send(command));
      return Item as Item | undefined;
    },

    async query(pk, { prefix, before, consistent = true, after, limit, only }: QueryOptions = {}) {
      const names = new Names();
      const values: Record<string, string> = { ":pk": pk };
      let condition = `${names.of(TABLE.partitionKey)} = :pk`;
      if (prefix !== undefined) {
        condition += ` AND begins_with(${names.of(TABLE.sortKey)}, :prefix)`;
        values[":prefix"] = prefix;
      }
      if (before !== undefined) {
        condition += ` AND ${names.of(TABLE.sortKey)} < :before`;
        values[":before"] = before;
      }
      const projection = only
        ? {
            ProjectionExpression: [TABLE.partitionKey, TABLE.sortKey, ...only]
              .map((n) => names.of(n))
              .join(),
          }
        : {};
      const items: Item[] = [];
      let next: Record<string, unknown> | undefined =
        after === undefined ? undefined : { [TABLE.partitionKey]: pk, [TABLE.sortKey]: after };
      do {
        const command: QueryCommand = new QueryCommand({
          TableName,
          KeyConditionExpression: condition,
          ExpressionAttributeNames: names.all,
          ExpressionAttributeValues: values,
          ConsistentRead: consistent,
          ExclusiveStartKey: next,
          ...(limit !== undefined && { Limit: limit - items.length }),
          ...projection,
        });
        const page = await reading(() => client.send(command));
        items.push(...((page.Items ?? []) as Item[]));
        next = page.LastEvaluatedKey;
      } while (next && items.length !== limit);
      return items;
    },

    async scan(limit, { after, segment, consistent = true }: ScanOptions = {}): Promise<ItemPage> {
      const command = new ScanCommand({
        TableName,
        Limit: limit,
        ConsistentRead: consistent,
        ...(after && { ExclusiveStartKey: after }),
        ...(segment && { Segment: segment.index, TotalSegments: segment.of }),
      });
      const { Items, LastEvaluatedKey } = await reading(() => client.send(command));
      const items = (Items ?? []) as Item[];
      return LastEvaluatedKey ? { items, next: LastEvaluatedKey as Key } : { items };
    },

    async due(shard, { untilMs, limit, after }: DueOptions) {
      const names = new Names();
      const { name, partitionKey, sortKey } = TABLE.dueIndex;
      const command = new QueryCommand({
        TableName,
        IndexName: name,
        KeyConditionExpression: `${names.of(partitionKey)} = :shard AND ${names.of(sortKey)} <= :until`,
        ExpressionAttributeNames: names.all,
        ExpressionAttributeValues: { ":shard": shard, ":until": untilMs },
        ...(after && { ExclusiveStartKey: indexKey(shard, after) }),
        Limit: limit,
      });
      const page = await reading(() => client.send(command));
      return ((page.Items ?? []) as Item[]).map((item) => ({
        pk: item.pk,
        sk: item.sk,
        dueAtMs: item[sortKey] as number,
      }));
    },

    async write(write) {
      try {
        return { outcome: "done", item: await send(client, TableName, write) };
      } catch (error) {
        return sorted(error);
      }
    },
  };
}

/**
 * Returns the Region and the id of a table, and the Regions of its replicas
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html).
 *
 * @throws {Error} if the database gives its tables no id
 */
export async function identityThrough(client: Sender, TableName: string): Promise<DescribedTable> {
  const { Table } = await reading(() => client.send(new DescribeTableCommand({ TableName })));
  const [, , , region] = Table?.TableArn?.split(":") ?? [];
  if (!region || !Table?.TableId) throw new Error("the database does not say which table it has");
  const replicas = (Table.Replicas ?? []).flatMap(({ RegionName }) => RegionName ?? []);
  return { region, id: Table.TableId, replicas: replicas.filter((name) => name !== region) };
}

const indexKey = (shard: string, { pk, sk, dueAtMs }: DueKey) => ({
  pk,
  sk,
  [TABLE.dueIndex.partitionKey]: shard,
  [TABLE.dueIndex.sortKey]: dueAtMs,
});

/**
 * Returns the outcome of a failed write. No other function sorts DynamoDB's errors of writes. An
 * error that Plat itself caused is thrown unchanged.
 */
function sorted(error: unknown): Outcome<Item> {
  // The document client passes on the item of a failed condition in the wire format.
  if (error instanceof ConditionalCheckFailedException)
    return { outcome: "lost", item: error.Item && (unmarshall(error.Item) as Item) };
  if (isNotApplied(error))
    throw new ThrottledError("the database throttled a write", { cause: error });
  if (isUnanswered(error)) return { outcome: "unknown" };
  throw error;
}

async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isNotApplied(error))
      throw new ThrottledError("the database throttled a read", { cause: error });
    if (isUnanswered(error))
      throw new UnavailableError("the database did not answer a read", { cause: error });
    throw error;
  }
}

/** The names of errors after which DynamoDB has not applied the write. */
const NOT_APPLIED = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ReplicatedWriteConflictException",
  "TransactionConflictException",
]);

/** Returns true if DynamoDB has throttled a request, or rejected it for a conflict. */
export function isNotApplied(error: unknown): boolean {
  return error instanceof Error && NOT_APPLIED.has(error.name);
}

/**
 * Returns true after a time-out, a broken connection, a truncated answer or any 5xx: DynamoDB may
 * have carried out the request, or may do so later. Plat itself causes any other error, before it
 * sends anything.
 */
function isUnanswered(error: unknown): boolean {
  const { name, code, $response, $metadata } = error as {
    name?: string;
    code?: string;
    $response?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  return (
    name === "TimeoutError" ||
    name === "AbortError" ||
    typeof code === "string" ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    ($metadata?.httpStatusCode === undefined && $response !== undefined)
  );
}

async function send(client: Sender, TableName: string, write: Write): Promise<Item> {
  const { pk, sk } = write.key;
  const key: Key = { pk, sk }; // an item may serve as the key of its own write
  const { when, change } = write;
  const names = new Names();
  const values: Record<string, Value> = {};
  const value = (v: Value) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = v;
    return name;
  };
  const expressions = () => ({
    ...(condition && { ConditionExpression: condition }),
    ...(names.used && { ExpressionAttributeNames: names.all }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  });
  const condition = when.map((clause) => rendered(clause, names, value)).join(" AND ");
  switch (change.kind) {
    case "put":
      await client.send(new PutCommand({ TableName, Item: change.item, ...expressions() }));
      return change.item;
    case "delete": {
      const ReturnValues = change.returnsOld ? "ALL_OLD" : "NONE";
      const command = new DeleteCommand({ TableName, Key: key, ReturnValues, ...expressions() });
      return ((await client.send(command)).Attributes ?? key) as Item;
    }
    case "update": {
      const assignments = (
        pairs: readonly (readonly [AttributePath, Value])[] = [],
        sign: string,
      ) => pairs.map(([path, v]) => `${names.path(path)}${sign}${value(v)}`).join(", ");
      const section = (keyword: string, text: string) => (text ? `${keyword} ${text} ` : "");
      const UpdateExpression =
        section("SET", assignments(change.set, " = ")) +
        section("REMOVE", (change.remove ?? []).map((path) => names.path(path)).join(", ")) +
        section("ADD", assignments(change.add, " ")) +
        section("DELETE", assignments(change.drop, " "));
      const command = new UpdateCommand({
        TableName,
        Key: key,
        UpdateExpression: UpdateExpression.trim(),
        ReturnValues: "ALL_NEW",
        ...expressions(),
      });
      return (await client.send(command)).Attributes as Item;
    }
    default:
      return change satisfies never;
  }
}

function rendered({ path, test }: Clause, names: Names, value: (v: Value) => string): string {
  const at = names.path(path);
  switch (test.kind) {
    case "absent":
      return `attribute_not_exists(${at})`;
    case "present":
      return `attribute_exists(${at})`;
    case "equals":
      return `${at} = ${value(test.value)}`;
    case "newOrEquals":
      return `(attribute_not_exists(${names.of(TABLE.partitionKey)}) OR ${at} = ${value(test.value)})`;
    case "size":
      return `size(${at}) = ${value(test.size)}`;
    case "atMost":
      return `${at} <= ${value(test.max)}`;
    default:
      return test satisfies never;
  }
}

/** Aliases for every attribute name, so that an expression never contains a name. */
class Names {
  readonly all: Record<string, string> = {};
  readonly #aliases = new Map<string, string>();

  get used(): boolean {
    return this.#aliases.size > 0;
  }

  of(name: string): string {
    const known = this.#aliases.get(name);
    if (known !== undefined) return known;
    const alias = `#n${this.#aliases.size}`;
    this.#aliases.set(name, alias);
    this.all[alias] = name;
    return alias;
  }

  path(path: AttributePath): string {
    return path.map((name) => this.of(name)).join(".");
  }
}
