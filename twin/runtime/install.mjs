// Installs the Node.js that Lambda runs beside the project's own dependencies; a production install leaves it out.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const omitted = (process.env.npm_config_omit ?? "").split(/[\s,]+/);
if (!omitted.includes("dev")) {
  const { status } = spawnSync(
    "npm",
    ["ci", "--prefix", fileURLToPath(new URL(".", import.meta.url))],
    {
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  process.exitCode = status ?? 1;
}
