// Installs Lambda's Node.js with the project's development dependencies; a production install leaves it out. The tools
// that need it run on Linux and macOS only, so a failure here does not fail the installation.
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
