import { randomBytes } from "node:crypto";
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import type { Item, Key } from "../../src/table/item.ts";
import { assigned, give } from "../asked.ts";
import { type Bed, type Command, type Gate, requestOf } from "./bed.ts";

type Input = Command["input"];

/** The kind of a slot's tag, its first byte. */
const COOLING = 2;
const BLOCK_ADDRESSES = 64;

/**
 * Sends the two writes of an assign and the two of its release, as Plat sends them. Their items have the same content
 * under other keys. It does not read, choose, parse or answer, and no other caller uses its slot.
 */
export class RawPairs {
  readonly #bed: Bed;
  readonly #space: string;
  readonly #block: Item;
  readonly #ordinal: string;
  readonly #writes: { put: Input; take: Input; free: Input; drop: Input };
  readonly #current = new Set<string>();
  /** The number of calls so far. */
  calls = 0;

  private constructor(
    bed: Bed,
    space: string,
    block: Item,
    [put, take, free, drop]: readonly Command[],
  ) {
    this.#bed = bed;
    this.#space = space;
    this.#block = block;
    this.#writes = {
      put: put?.input,
      take: take?.input,
      free: free?.input,
      drop: drop?.input,
    };
    const [part] = Object.values<{ ordinals: number[] }>(put?.input.Item.parts);
    this.#ordinal = String(part?.ordinals[0]);
  }

  /** Records a pair on a block whose slots were all used before, as in a block that has been in use for a while. */
  static async recorded(bed: Bed, space: string): Promise<RawPairs> {
    const context = bed.coldFunction();
    await ageBlock(bed, space, "recorded");
    const pair = async () =>
      give(context, space, await assigned(context, requestOf(space, "recorded")));
    await pair();
    const sent = await bed.recording(pair);
    const [, { input: { Key = {} } = {} } = {}] = sent;
    const { Item } = await bed.client.send(new GetCommand({ TableName: bed.tableName, Key }));
    if (sent.length !== 4 || !Item) throw new Error(`a warm pair took ${sent.length} calls`);
    return new RawPairs(bed, space, Item as Item, sent);
  }

  /** Takes a slot of the block of a host. Returns an assign and a release in it, which are called in turn. */
  async slotOf(host: string, ordinal: number) {
    const { put, take, free, drop } = this.#writes;
    const { client } = this.#bed;
    const key = { pk: `BLOCK#${this.#space}~${host}`, sk: this.#block.sk };
    if (!this.#current.has(host)) {
      const Item = { ...this.#block, ...key };
      await client.send(new PutCommand({ TableName: this.#bed.tableName, Item }));
      this.#current.add(host);
    }
    const slots = this.#block.slots as Readonly<Record<string, Uint8Array>>;
    let seen = slots[ordinal] as Uint8Array;
    let allocation: Key = { pk: "", sk: "" };
    const at = (input: Input) => ({
      ...input,
      Key: key,
      ExpressionAttributeNames: renamed(input, this.#ordinal, ordinal),
    });
    const freeing = at(free);
    const cooled = coolingIn(free);
    return {
      assign: async () => {
        this.calls += 2;
        allocation = { pk: `HANDLE#${this.#space}#${hex(8)}`, sk: `ID#${hex(8).slice(1)}` };
        await client.send(new PutCommand({ ...put, Item: { ...put.Item, ...allocation } }));
        const values = take.ExpressionAttributeValues;
        const taking = {
          ...at(take),
          ExpressionAttributeValues: Object.fromEntries(
            Object.entries(values).map(([name, value]) => [name, isCooling(value) ? seen : value]),
          ),
        };
        await client.send(new UpdateCommand(taking));
      },
      release: async () => {
        this.calls += 2;
        await client.send(new UpdateCommand(freeing));
        seen = cooled;
        await client.send(new DeleteCommand({ ...drop, Key: allocation }));
      },
    };
  }
}

/** Repeats the writes of one of Plat's operations, one after the other, under unused keys. */
export async function replay(
  { client }: Bed,
  writes: readonly Command[],
  name: string,
  gate: Gate = (call) => call(),
): Promise<void> {
  const moved = ({ pk, sk }: Key): Key => ({ pk: `${pk}~${name}`, sk });
  for (const write of writes) {
    const { input } = write;
    if (write instanceof PutCommand) {
      const Item = { ...input.Item, ...moved(input.Item) };
      await gate(() => client.send(new PutCommand({ ...input, Item })));
    } else await gate(() => client.send(new UpdateCommand({ ...input, Key: moved(input.Key) })));
  }
}

/** Returns the writes among the commands that Plat sent. */
export const writesOf = (sent: readonly Command[]): readonly Command[] =>
  sent.filter((command) => command instanceof PutCommand || command instanceof UpdateCommand);

/** Assigns and frees every address of a block of the host once. */
export async function ageBlock(bed: Bed, space: string, host: string): Promise<void> {
  const context = bed.coldFunction();
  const { handle } = await assigned(context, requestOf(space, host, BLOCK_ADDRESSES));
  await releaseHandle(context, space, handle);
}

const isCooling = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && value[0] === COOLING;

function coolingIn({ ExpressionAttributeValues }: Input): Uint8Array {
  const found = Object.values(ExpressionAttributeValues).find(isCooling);
  if (!found) throw new Error("a release that lets nothing cool");
  return found;
}

const renamed = ({ ExpressionAttributeNames }: Input, from: string, to: number) =>
  Object.fromEntries(
    Object.entries(ExpressionAttributeNames).map(([alias, name]) => [
      alias,
      name === from ? String(to) : name,
    ]),
  );

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
