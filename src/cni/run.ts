import { type PlatClient, path } from "../client/index.ts";
import { add } from "./add.ts";
import type { Attachment } from "./attachment.ts";
import { check } from "./check.ts";
import { del } from "./del.ts";
import { CniError, CODE, errorObject } from "./error.ts";
import { gc } from "./gc.ts";
import { commandOf, containerOf, type Variables } from "./invocation.ts";
import { type Ipam, jsonOf, type Network, networkOf, SUPPORTED_VERSIONS } from "./network.ts";
import { translated } from "./translated.ts";

/** The surroundings of the plugin. */
export interface World {
  readonly variables: Variables;
  readonly stdin: () => Promise<string>;
  readonly hostname: string;
  readonly connect: (ipam: Ipam, variables: Variables) => Promise<PlatClient>;
}

/** The end of a command. */
interface Ended {
  readonly exit: 0 | 1;
  readonly out: string;
}

const LATEST = SUPPORTED_VERSIONS[SUPPORTED_VERSIONS.length - 1] ?? "1.1.0";

/** Carries out a command of a CNI runtime, and returns the text for standard output. */
export async function run(world: World): Promise<Ended> {
  let cniVersion: string = LATEST;
  try {
    const command = commandOf(world.variables);
    const json = jsonOf(await world.stdin());
    const said = json.cniVersion;
    if (command === "VERSION")
      return done({
        cniVersion: typeof said === "string" ? said : LATEST,
        supportedVersions: SUPPORTED_VERSIONS,
      });
    const network = networkOf(json);
    ({ cniVersion } = network);
    return done(await carryOut(command, network, world));
  } catch (error) {
    return { exit: 1, out: `${JSON.stringify(errorObject(cniVersion, translated(error)))}\n` };
  }
}

const done = (result: object | undefined): Ended => ({
  exit: 0,
  out: result === undefined ? "" : `${JSON.stringify(result)}\n`,
});

async function carryOut(
  command: Exclude<ReturnType<typeof commandOf>, "VERSION">,
  network: Network,
  { variables, hostname, connect }: World,
): Promise<object | undefined> {
  const host = network.ipam.host ?? hostname;
  const attachment = (): Attachment => ({ network, host, container: containerOf(variables) });
  // The variables are checked before a connection is made.
  const of = command === "GC" || command === "STATUS" ? undefined : attachment();
  const client = await connect(network.ipam, variables);
  if (command === "STATUS") await status(client);
  else if (!of) await gc(client, network, host);
  else if (command === "ADD") return add(client, of);
  else if (command === "DEL") await del(client, of);
  else await check(client, of);
  return undefined;
}

/**
 * Checks that Plat can serve an ADD. The code is 50 and never 51: containers keep their addresses while Plat is out of
 * reach. @throws {CniError}
 */
async function status(client: PlatClient): Promise<void> {
  try {
    await client.call({ method: "GET", path: path`/readyz` });
  } catch (error) {
    const { message, details } = translated(error);
    throw new CniError(CODE.notAvailable, message, details);
  }
}
