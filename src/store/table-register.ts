import type { TableRegister } from "../domain/table-register.ts";
import { reading } from "./format.ts";
import { TABLE_KEY } from "./key.ts";
import type { Table } from "./table.ts";

/** Returns the register of a table; that of a new table names nothing. */
export async function readRegister(table: Pick<Table, "get">): Promise<TableRegister> {
  const item = await table.get(TABLE_KEY);
  return item ? registerIn(item) : { ids: {} };
}

const registerIn = reading<TableRegister>(({ ids, frozen }) => ({
  ids: (ids ?? {}) as TableRegister["ids"],
  ...(frozen !== undefined && { frozenBecause: String(frozen) }),
}));
