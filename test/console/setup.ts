import { fileURLToPath } from "node:url";
import { build } from "vite";
import { prepareTools } from "../../pack/packages.ts";

/** Makes the browser's driver ready, and builds the console, so that the browser sees the sources of now. */
export default async function setup(): Promise<void> {
  await prepareTools(fileURLToPath(new URL(".", import.meta.url)));
  const configFile = fileURLToPath(new URL("../../console/vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "warn" });
}
