import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";

const { include: _, exclude: __, globalSetup, ...test } = all.test ?? {};

/**
 * `npm run check:package`: the package, which is built once, and the image. It needs the registry for the packages that
 * its tests install.
 *
 * With `WHOLE=true` it also builds twice, takes the lowest version of the CDK, and starts a server without the tools of
 * development.
 */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      include: ["test/pack/packed/*.test.ts"],
      globalSetup: [globalSetup ?? [], "test/pack/packed/setup.ts"].flat(),
      // The files of the build have one place.
      fileParallelism: false,
    },
  }),
);
