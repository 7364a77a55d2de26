import * as v from "valibot";
import { CommandError } from "../cli/shell/exit.ts";
import { addressesOfHandle } from "../cli/space/handles.ts";
import {
  ApiError,
  found,
  InvalidCall,
  NotPlat,
  NotSent,
  type PlatClient,
  PlatError,
  path,
  Unanswered,
} from "../client/index.ts";
import { formatAddress } from "../net/address.ts";
import { parsePlainAddress } from "../net/plain-form.ts";
import { workloadHandle } from "../nouns/application/workload.ts";
import { add } from "./add.ts";
import { type Attachment, canHold, handleOf, instanceOfAttachment } from "./attachment.ts";
import { del } from "./del.ts";
import { CniError, CODE, errorObject } from "./error.ts";
import { gc } from "./gc.ts";
import { type Container, commandOf, containerOf, type Variables } from "./invocation.ts";
import {
  type Ipam,
  jsonOf,
  type NetworkConfiguration,
  networkConfigurationOf,
  SUPPORTED_VERSIONS,
} from "./network.ts";

/** The surroundings of the plugin. */
export interface PluginWorld {
  readonly variables: Variables;
  readonly stdin: () => Promise<string>;
  readonly hostname: string;
  /** The fields of the section `ipam` that this plugin has no use for. */
  readonly without: readonly string[];
  readonly connect: (ipam: Ipam, variables: Variables) => Promise<PlatClient>;
  /** Asks the cluster for the pod of a container; absent where nobody does. */
  readonly see?: (command: AboutContainer, container: Container) => Promise<Attachment["seen"]>;
}

/** The commands about the interface of one container. */
export type AboutContainer = "ADD" | "DEL" | "CHECK";

/** The end of a command. */
interface Ended {
  readonly exit: 0 | 1;
  readonly out: string;
}

const LATEST = SUPPORTED_VERSIONS[SUPPORTED_VERSIONS.length - 1] ?? "1.1.0";

/** Carries out a command of a CNI runtime, and returns the text for standard output. */
export async function run(world: PluginWorld): Promise<Ended> {
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
    const network = networkConfigurationOf(json, world.without);
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
  network: NetworkConfiguration,
  { variables, hostname, connect, see }: PluginWorld,
): Promise<object | undefined> {
  const host = network.ipam.host ?? hostname;
  if (command === "GC" || command === "STATUS") {
    const client = await connect(network.ipam, variables);
    await (command === "STATUS" ? status(client) : gc(client, network, host));
    return undefined;
  }
  // The variables are checked before a connection is made.
  const container = containerOf(variables);
  const client = await connect(network.ipam, variables);
  const of = { network, host, container, seen: await see?.(command, container) };
  if (command === "ADD") return add(client, of);
  await (command === "DEL" ? del(client, of) : check(client, of));
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

/** Checks that an attachment holds the addresses that its ADD returned. @throws {CniError} if it lacks one */
async function check(client: PlatClient, attachment: Attachment): Promise<void> {
  const expected = expectedAddresses(attachment.network.prevResult, attachment.container);
  const workload = instanceOfAttachment(attachment, true);
  const handle = workload ? workloadHandle(workload) : handleOf(attachment);
  const held = await heldBy(client, handle, workload);
  // A pod asks for an address and for others beside it as an attachment, whatever its controller is.
  if (workload) held.push(...(await heldBy(client, handleOf(attachment))));
  const missing = expected.filter((address) => !held.includes(address));
  if (expected.length > 0 && missing.length === 0) return;
  throw new CniError(
    CODE.notHeld,
    expected.length === 0
      ? `prevResult has no address of ${attachment.container.ifName}.`
      : `${handle} does not hold ${missing.join(", ")}.`,
    held.length > 0 ? `It holds ${held.join(", ")}.` : "It holds no address.",
  );
}

/** Returns the addresses that a handle has; of an instance, those of its last uid alone. */
async function heldBy(
  client: PlatClient,
  handle: string,
  workload?: { readonly uid: string },
): Promise<string[]> {
  if (!canHold(handle)) return [];
  return ((await found(addressesOfHandle(client, handle))) ?? [])
    .filter((one) => one.state === "assigned" && one.workload?.uid === workload?.uid)
    .map(({ address }) => address);
}

/** The part of a result that a CHECK compares. */
const result = v.object({
  ips: v.optional(
    v.array(v.object({ address: v.string(), interface: v.optional(v.number()) })),
    [],
  ),
  interfaces: v.optional(
    v.array(v.object({ name: v.string(), sandbox: v.optional(v.string()) })),
    [],
  ),
});

/**
 * Returns the addresses that an ADD gave to an interface, by its result. Addresses of other interfaces may be from other
 * plugins. @throws {CniError} if there is no such result, as CHECK needs one
 */
function expectedAddresses(prevResult: unknown, { ifName }: Container): readonly string[] {
  const parsed = v.safeParse(result, prevResult);
  if (!parsed.success)
    throw new CniError(
      CODE.invalidConfiguration,
      "prevResult must be the result of the ADD, with its ips.",
    );
  const { ips, interfaces } = parsed.output;
  return ips
    .filter(({ interface: at }) => at === undefined || interfaces[at]?.name === ifName)
    .map(({ address }) => plain(address.replace(/\/.*/, "")));
}

/** Writes an address as Plat does. */
function plain(text: string): string {
  const read = parsePlainAddress(text);
  return read.ok ? formatAddress(read.value) : text;
}

/** Returns an error as the runtime sees it. A runtime repeats after `tryAgainLater`. */
function translated(error: unknown): CniError {
  if (error instanceof CniError) return error;
  if (error instanceof ApiError) return rejection(error);
  if (error instanceof NotSent) return later(error, "Nothing was sent.");
  if (error instanceof Unanswered)
    return later(error, "The request may have been carried out. A repeat takes no second address.");
  if (error instanceof InvalidCall) return withFirstLine(CODE.invalidConfiguration, error);
  if (error instanceof NotPlat && error.isDenied) return withFirstLine(CODE.rejected, error);
  if (error instanceof PlatError || error instanceof CommandError)
    return withFirstLine(CODE.tryAgainLater, error);
  if (error instanceof Error && error.name === "TimeoutError")
    return new CniError(CODE.tryAgainLater, "Plat did not answer in time.");
  return new CniError(CODE.internal, `Unexpected ${String(error)}`);
}

function rejection({ problem }: ApiError): CniError {
  const { code, detail, retryable, status, requestId, fields = [] } = problem;
  const isLater = retryable || status >= 500;
  const values = fields
    .filter(({ value }) => value !== undefined)
    .map(({ field, value }) => `${field} = ${JSON.stringify(value)}`);
  return new CniError(
    code === "invalid_request"
      ? CODE.invalidConfiguration
      : isLater
        ? CODE.tryAgainLater
        : CODE.rejected,
    detail,
    [...values, `code: ${code}`, `request: ${requestId}`].join("\n"),
  );
}

const later = (error: Error, details: string) =>
  new CniError(CODE.tryAgainLater, firstLine(error), details);

const withFirstLine = (code: CniError["code"], error: Error) =>
  new CniError(code, firstLine(error));

/** The first line names the mistake. Those after it advise the user of the command. */
const firstLine = ({ message }: Error): string => message.replace(/\n.*/s, "");
