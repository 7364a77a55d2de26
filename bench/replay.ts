import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { assign } from "../src/allocator/assign.ts";
import { inParallel } from "../src/allocator/parallel.ts";
import { hostId } from "../src/domain/host.ts";
import { Refusal } from "../src/domain/outcome.ts";
import { createTable } from "../src/local/create-table.ts";
import { type Caller, makeCaller } from "./caller.ts";
import { makePool } from "./pool.ts";

const TABLE_NAME = "plat-replay";
const COPY_NAME = "plat-replay-copy";
const CALLERS = 8;
/** The first of them warm up the compiler, and are not counted. */
const ROUNDS = 10;
const WARM_UP_ROUNDS = 4;
/** With the first, which claims it, a block of 64 is just full. */
const ASSIGNS_PER_CALLER = 63;

/** A request as the client was given it. */
interface Request {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * How long warm assigns take, and how long the very requests take that they made: sent again by as many callers, each
 * through the client that sent them, to a table that stands as theirs stood.
 */
export async function measureReplay(endpoint: string) {
  const admin = makeCaller(endpoint, TABLE_NAME);
  await createTable(admin.client, TABLE_NAME);
  await createTable(admin.client, COPY_NAME);
  await makePool(admin.context, { space: "default", name: "pool", cidr: "10.0.0.0/16" });
  const times: { readonly assignsMs: number; readonly requestsMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const callers = Array.from({ length: CALLERS }, (_, i) => {
      const caller = makeCaller(endpoint, TABLE_NAME);
      return { caller, requests: recorded(caller), host: `node-${round}-${i}` };
    });
    const assignAll = (count: number) =>
      timed(() =>
        inParallel(callers, CALLERS, ({ caller, host }) => assignSome(caller, host, count)),
      );
    const replayAll = () =>
      timed(() =>
        inParallel(callers, CALLERS, ({ caller, requests }) => replay(caller, requests.splice(0))),
      );
    await assignAll(1);
    await replayAll();
    times.push({
      assignsMs: await assignAll(ASSIGNS_PER_CALLER),
      requestsMs: await replayAll(),
    });
    for (const { caller } of callers) caller.client.destroy();
  }
  const ratios = times
    .slice(WARM_UP_ROUNDS)
    .map(({ assignsMs, requestsMs }) => assignsMs / requestsMs);
  const sorted = ratios.toSorted((a, b) => a - b);
  return {
    rounds: sorted.length,
    assigns: CALLERS * ASSIGNS_PER_CALLER,
    ratio: sorted[Math.floor(sorted.length / 2)] ?? 0,
    lowest: sorted[0] ?? 0,
    highest: sorted.at(-1) ?? 0,
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await act();
  return performance.now() - startedAtMs;
}

async function assignSome({ context }: Caller, host: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const answer = await assign(context, {
      space: "default",
      host: hostId("host", host),
      wanted: [{ family: 4, count: 1 }],
      handle: `${host}-${count}-${n}`,
      attributes: { pod: "web-0", namespace: "shop" },
      pools: ["pool"],
      digest: "digest",
    });
    if (answer instanceof Refusal) throw new Error(answer.detail);
  }
}

/** What goes through a caller's client from now on. */
function recorded({ client }: Caller): Request[] {
  const requests: Request[] = [];
  client.middlewareStack.add(
    (next, { commandName: name = "" }) =>
      (args) => {
        const { TableName } = args.input as { TableName?: string };
        if (TableName === TABLE_NAME) requests.push({ name, input: { ...args.input } });
        return next(args);
      },
    { step: "initialize", name: "recorder" },
  );
  return requests;
}

async function replay({ client }: Caller, requests: readonly Request[]): Promise<void> {
  for (const { name, input } of requests) {
    const copied = { ...input, TableName: COPY_NAME } as never;
    if (name === "PutItemCommand") await client.send(new PutItemCommand(copied));
    else if (name === "UpdateItemCommand") await client.send(new UpdateItemCommand(copied));
    else if (name === "GetItemCommand") await client.send(new GetItemCommand(copied));
    else if (name === "QueryCommand") await client.send(new QueryCommand(copied));
    else throw new Error(`${name} is not what an assign sends`);
  }
}
