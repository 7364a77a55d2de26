import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** `npm run console`: builds the console into `dist/console`, where the laptop's server finds it. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/console", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The Content-Security-Policy allows no script and no picture within the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
