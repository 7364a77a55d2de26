import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Emulator, startBeside } from "../../src/local/emulator.ts";

/** Returns the program of moto's server (`pip install 'moto[server]'`), an independent DynamoDB, if it is installed. */
export function motoProgram(): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories.map((directory) => join(directory, "moto_server")).find(isExecutable);
}

export const startMoto = (program: string): Promise<Emulator> =>
  startBeside("moto", (port) => [program, "-H", "127.0.0.1", "-p", String(port)]);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
