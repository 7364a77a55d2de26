import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Builds the console, so that the browser sees the sources of now. */
export default async function setup(): Promise<void> {
  const configFile = fileURLToPath(new URL("../../console/vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "warn" });
}
