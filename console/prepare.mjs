// Builds the console after an installation, so that `npm start` can serve it. A production install leaves it out.
import { fileURLToPath } from "node:url";

const omitted = (process.env.npm_config_omit ?? "").split(/[\s,]+/);
if (!omitted.includes("dev")) {
  try {
    const { build } = await import("vite");
    const configFile = fileURLToPath(new URL("vite.config.ts", import.meta.url));
    await build({ configFile, logLevel: "warn" });
  } catch (error) {
    console.error(
      `The console could not be built: ${error}. Run \`npm run console\` to try again.`,
    );
  }
}
