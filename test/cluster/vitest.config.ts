import { defineConfig } from "vitest/config";
import { HANGS_MS } from "../patience.ts";
import { report } from "../report.ts";

/**
 * `npm run test:cluster`: the controller in a cluster with a real kube-apiserver. The first run builds the API server from
 * the Go module proxy. `PLAT_APISERVER`, `PLAT_ETCD`, `PLAT_KUBECTL`, `PLAT_CLUSTERCTL` and `PLAT_HELM` name other ones.
 */
export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    reporters: ["default", ...report()],
    globalSetup: ["test/temporary.ts", "test/programs.ts"],
    fileParallelism: false,
    env: { LOG_LEVEL: "SILENT" },
    testTimeout: HANGS_MS,
    // The first run builds the programs.
    hookTimeout: 0,
  },
});
