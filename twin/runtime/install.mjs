// Installs the Node.js that Lambda runs beside the project's own dependencies; a production install leaves it out. What needs it
// runs on Linux and macOS alone, and all else does without, so nobody's installation fails for it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const omitted = (process.env.npm_config_omit ?? "").split(/[\s,]+/);
if (process.platform !== "win32" && !omitted.includes("dev")) {
  const { status } = spawnSync(
    "npm",
    ["ci", "--prefix", fileURLToPath(new URL(".", import.meta.url))],
    { stdio: "inherit" },
  );
  if (status !== 0)
    console.error(
      "Node.js 24 could not be installed: the deployed twin (npm start -- --deployed, test/twin) will not run before `npm ci --prefix twin/runtime` has succeeded.",
    );
}
