import { type HttpReply, makeClient } from "../../src/local/client.ts";
import { start } from "../../test/local/process.ts";
import type { Bed } from "./bed.ts";
import { contestsThrough, type Pair } from "./pairs.ts";
import type { Contest } from "./turns.ts";

/** Options with an interval so long that no scheduled run starts during a measurement. */
const NEVER = ["reclaim", "repair", "work"].flatMap((run) => [`--${run}-seconds`, "86400"]);

/**
 * Measures pairs over HTTP on one host, through one `npm start` with the same table, whose callers share one memory.
 * The server is another process, so neither its calls nor its processor time are measured.
 *
 * @returns the contests, and the function that stops the server
 */
export async function httpContests(
  bed: Bed,
  { callers, ms }: { readonly callers: readonly number[]; readonly ms: number },
): Promise<{ readonly contests: readonly Contest[]; readonly stop: () => Promise<unknown> }> {
  const plat = await start(["--port", "0", ...NEVER], { DYNAMODB_ENDPOINT: bed.endpoint });
  const client = makeClient(plat.url, Math.max(...callers));
  const pairOf = async (space: string, hosts: readonly string[]): Promise<Pair> => {
    const path = (name: string) => `/v1/spaces/${space}/${name}`;
    let pods = 0;
    let held: { address: string; generation: string };
    return {
      async assign(n) {
        const asked = {
          host: hosts[n % hosts.length],
          ipv4: 1,
          handle: `${hosts[0]}-${pods++}`,
          attributes: { pod: "web-0", namespace: "shop" },
        };
        const { body } = ok(await client.call("POST", path("assign"), asked));
        [held] = body.addresses;
      },
      async release() {
        const { address, generation } = held;
        const asked = { addresses: [{ address, generation }] };
        const { body } = ok(await client.call("POST", path("release"), asked));
        const [{ status }] = body.results;
        if (status !== "released") throw new Error(`the release of ${address} answered ${status}`);
      },
    };
  };
  const contests = await contestsThrough(
    bed,
    { callers, hosts: [1], ms },
    { section: "http", spaceOf: () => "http", pairOf },
  );
  return {
    contests,
    async stop() {
      client.close();
      plat.process.kill("SIGTERM");
      await plat.ended;
    },
  };
}

function ok(reply: HttpReply): HttpReply {
  if (reply.status === 200) return reply;
  throw new Error(`the server answered ${reply.status}: ${reply.body?.detail}`);
}
