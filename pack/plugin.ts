import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * `npm run build:plugin [-- FOLDER]`: makes the CNI plugin of nodes with an agent in `dist/plugin`, for each processor. It
 * is a static program of Go, so it needs Go 1.25 or later. The same sources give the same files.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROCESSORS = ["amd64", "arm64"];
const folder = resolve(process.argv[2] ?? join(ROOT, "dist", "plugin"));

for (const GOARCH of PROCESSORS)
  await promisify(execFile)(
    "go",
    [
      ...["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"],
      ...["-o", join(folder, `plat-cni-linux-${GOARCH}`), "."],
    ],
    {
      cwd: join(ROOT, "cni"),
      env: { ...process.env, CGO_ENABLED: "0", GOOS: "linux", GOARCH },
    },
  );
