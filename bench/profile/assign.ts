import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Client } from "../../src/local/client.ts";
import { startTwin, synthesised } from "../../twin/twin.ts";
import { type Profile, sharesOf } from "./shares.ts";

const RECORDER = fileURLToPath(new URL("./recorder.mjs", import.meta.url));
/** An interval so long that no scheduled run starts. */
const NEVER_SECONDS = 86_400;
const WRITTEN_MS_MAX = 10_000;
const POLL_MS = 20;

/**
 * Profiles warm assigns, one after the other, in the process of the deployed function. The release function releases
 * each address outside of the measurement.
 *
 * @param assigns the number of assigns for the processor time, and again for the profile
 */
export async function profileAssign(assigns: number): Promise<{
  readonly processorMs: number;
  readonly shares: ReadonlyMap<string, number>;
}> {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const file = join(directory, "profile.json");
  const { deployment, assets } = await synthesised("prod");
  const deployed = deployment.functions.find(({ name }) => name.includes("assignFunction"));
  if (!deployed) throw new Error("the templates make no function that assigns");
  const watched = {
    ...deployed,
    variables: {
      ...deployed.variables,
      NODE_OPTIONS: `--import=${pathToFileURL(RECORDER).href}`,
      PROFILE_FILE: file,
    },
  };
  const functions = deployment.functions.map((one) => (one === deployed ? watched : one));
  const twin = await startTwin({ ...deployment, functions }, assets, {
    port: 0,
    scheduleSeconds: NEVER_SECONDS,
  });
  const client = twin.clientOf(1);
  try {
    await expect(client, "PUT", "/v1/config", { cooldownSeconds: 0 });
    await expect(client, "PUT", "/v1/pools/pods", { cidr: "10.0.0.0/16", blockSize: 26 });
    const signal = () => {
      const { pid } = twin.lambda.environments.find((one) => one.function === deployed.name) ?? {};
      if (pid === undefined) throw new Error("the function has no process");
      process.kill(pid, "SIGUSR2");
      return pid;
    };
    for (const _stretch of ["to warm up", "for the processor time", "for the profile"]) {
      await pairs(client, assigns);
      const pid = signal();
      // The process is frozen, so it gets the last signal only when it is continued.
      process.kill(pid, "SIGCONT");
    }
    const { processorUs, profile } = await written(file);
    const code = join(assets.get(deployed.asset) ?? "", "index.mjs.map");
    const shares = sharesOf(profile, "index.mjs", JSON.parse(await readFile(code, "utf8")));
    return { processorMs: processorUs / 1_000 / assigns, shares };
  } finally {
    client.close();
    await twin.stop();
    await rm(directory, { recursive: true });
  }
}

async function pairs(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { body } = await expect(client, "POST", "/v1/assign", {
      host: "node-1",
      ipv4: 1,
      handle: `pod-${n}`,
      attributes: { pod: "web-0", namespace: "shop" },
    });
    const [{ address, generation }] = body.addresses;
    await expect(client, "POST", "/v1/release", { addresses: [{ address, generation }] });
  }
}

async function expect(client: Client, method: string, path: string, asked: unknown) {
  const reply = await client.call(method, path, asked);
  if (reply.status >= 300)
    throw new Error(`${method} ${path} answered ${reply.status}: ${reply.body?.detail}`);
  return reply;
}

async function written(file: string): Promise<{ processorUs: number; profile: Profile }> {
  const untilMs = performance.now() + WRITTEN_MS_MAX;
  while (!existsSync(file)) {
    if (performance.now() > untilMs) throw new Error("the function wrote no profile");
    await sleep(POLL_MS);
  }
  return JSON.parse(await readFile(file, "utf8"));
}
