import "../local/silent.ts";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { run } from "../../src/cli/program.ts";
import { type Plat, startPlat } from "../../src/local/plat.ts";

const SECONDS_NEVER = 86_400;

export interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
  /** Is told how long the command would wait. */
  readonly sleep?: (ms: number) => void;
}

/**
 * A terminal before a running server, in an address space of its own for each test. `plat("pool", "get")` answers what the
 * command printed, and its exit code.
 */
export function terminal() {
  let server: Plat;
  let tests = 0;
  beforeAll(async () => {
    server = await startPlat({
      port: 0,
      reclaimSeconds: SECONDS_NEVER,
      collectSeconds: SECONDS_NEVER,
      workSeconds: SECONDS_NEVER,
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    tests++;
  });
  const platWith = async (given: Given, ...args: readonly string[]): Promise<Ended> => {
    const said = { out: "", err: "" };
    const exit = await run(args, {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
      progress: () => ({ update: () => {}, done: () => {} }),
      env: { PLAT_ENDPOINT: server.url, PLAT_SPACE: `test-${tests}`, ...given.env },
      stdin: async () => given.stdin ?? "",
      nowMs: () => given.nowMs ?? Date.now(),
      sleep: async (ms) => given.sleep?.(ms),
    });
    return { exit, ...said };
  };
  return {
    plat: (...args: readonly string[]) => platWith({}, ...args),
    platWith,
    server: () => server,
    /** The address space of this test. */
    space: () => `test-${tests}`,
  };
}
