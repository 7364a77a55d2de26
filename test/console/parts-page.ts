import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Builds the page that shows every part of the console, as the console is built, and serves it. */
export async function servePartsPage(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), "plat-parts-"));
  const options = {
    root: pathOf("parts-page"),
    publicDir: pathOf("../../console/public"),
    configFile: pathOf("../../console/vite.config.ts"),
    base: "/",
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  } as const;
  await build(options);
  const server = await preview({ ...options, preview: { host: "127.0.0.1", port: 0 } });
  const [url] = server.resolvedUrls?.local ?? [];
  if (!url) throw new Error("the page of parts has no address");
  return {
    url,
    async close() {
      await server.close();
      await rm(outDir, { recursive: true });
    },
  };
}
