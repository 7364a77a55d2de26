import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** The cost of an operation at the SDK client. */
export interface Cost {
  /** Every call. */
  readonly calls: number;
  /** Calls that waited for another: calls made side by side count once. */
  readonly inSequence: number;
  /** The number of these that are writes. */
  readonly writesInSequence: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

const READS = new Set(["GetItemCommand", "QueryCommand", "ScanCommand"]);
const WRITE_UNIT_BYTES = 1024;

/** Counts the calls of a client, with the consumed capacity that DynamoDB reports. */
export function meterOf(client: DynamoDBClient) {
  let calls = 0;
  let inSequence = 0;
  let writesInSequence = 0;
  let inFlight = 0;
  let writeUnits = 0;
  let readUnits = 0;
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        calls++;
        if (inFlight === 0) {
          inSequence++;
          if (!READS.has(commandName)) writesInSequence++;
        }
        inFlight++;
        try {
          const input = { ...args.input, ReturnConsumedCapacity: "TOTAL" };
          const result = await next({ ...args, input });
          const { ConsumedCapacity } = result.output as {
            ConsumedCapacity?: { CapacityUnits?: number };
          };
          const units = ConsumedCapacity?.CapacityUnits ?? 0;
          if (READS.has(commandName)) readUnits += units;
          else writeUnits += units;
          return result;
        } catch (error) {
          // DynamoDB charges a failed condition by the size of the item that it found, and does not report that.
          if (error instanceof ConditionalCheckFailedException)
            writeUnits += Math.max(1, Math.ceil(sizeOf(error.Item) / WRITE_UNIT_BYTES));
          throw error;
        } finally {
          inFlight--;
        }
      },
    { step: "initialize", name: "meter" },
  );
  return {
    async measure(act: () => Promise<unknown>): Promise<Cost> {
      calls = inSequence = writesInSequence = writeUnits = readUnits = 0;
      await act();
      return { calls, inSequence, writesInSequence, writeUnits, readUnits };
    },
  };
}

/** Estimates the size that DynamoDB charges: names and values, as text. */
function sizeOf(item: object | undefined): number {
  return item ? Buffer.byteLength(JSON.stringify(item)) : 0;
}
