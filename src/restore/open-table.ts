import { contextOf, dynamoClient, identityIn, repeating, tableIn } from "../wiring.ts";
import type { RestoredTable } from "./restore-table.ts";

/**
 * Opens a table with the credentials and the Region of the AWS command line.
 *
 * @param endpoint a DynamoDB other than that of AWS
 * @throws {Error} of the SDK if the table is out of reach
 */
export async function openRestoredTable(
  tableName: string,
  endpoint: string | undefined,
): Promise<RestoredTable> {
  const client = dynamoClient(endpoint);
  const table = tableIn(client, tableName);
  const identity = await identityIn(client, tableName);
  return { table: repeating(table), identity, context: contextOf(table) };
}
