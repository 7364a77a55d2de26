import { fileURLToPath } from "node:url";
import { goProgram } from "../built-once.ts";

/** Returns the binary to test with: the named one, or OpenTofu as its wrapper module pins it. */
export const openTofu = async (): Promise<string> =>
  process.env.PLAT_TERRAFORM ||
  goProgram({
    name: "opentofu",
    program: "tofu",
    module: fileURLToPath(new URL("tofu", import.meta.url)),
    package: "github.com/opentofu/opentofu/cmd/tofu",
    // A release, without its own symbols.
    flags: ["-trimpath", "-ldflags=-s -w -X github.com/opentofu/opentofu/version.dev=no"],
  });
