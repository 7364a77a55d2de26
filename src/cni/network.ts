import * as v from "valibot";
import {
  address,
  addressCount,
  cidr,
  flag,
  networkName,
  newHost,
  spaceName,
  text,
} from "../api/schema/field.ts";
import {
  defaultPoolNames,
  oneWayToNameDefaults,
  oneWayToNamePools,
  poolNames,
} from "../api/schema/pool-names.ts";
import { orProblem, Problem } from "../api/schema/problem.ts";
import { checked, fields, isRecord, list, rule } from "../api/schema/schema.ts";
import { POOL_ROUTES_MAX } from "../base/limits.ts";
import { CniError, CODE } from "./error.ts";

/** Versions of the CNI specification, the oldest first. */
export const SUPPORTED_VERSIONS = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

/** The `ipam` section of a network configuration. */
const ipamSection = v.pipe(
  fields({
    type: text,
    endpoint: v.optional(text),
    region: v.optional(text),
    tokenFile: v.optional(text),
    space: v.optional(spaceName),
    host: v.optional(newHost),
    ipv4: v.optional(addressCount, 1),
    ipv6: v.optional(addressCount, 0),
    ...poolNames,
    ...defaultPoolNames,
    network: v.optional(networkName),
    routes: v.optional(
      list(
        fields({ dst: cidr, gw: v.optional(address) }),
        { max: POOL_ROUTES_MAX },
        {
          type: 'must be an array of routes such as {"dst": "0.0.0.0/0"}',
          max: `must have at most ${POOL_ROUTES_MAX} routes`,
        },
      ),
      [],
    ),
    keep: v.optional(flag, false),
    socket: v.optional(text),
  }),
  rule((input) => [...oneWayToNamePools(input), ...oneWayToNameDefaults(input)]),
);

export type Ipam = v.InferOutput<typeof ipamSection>;

/** The fields of the section that only one of the plugins has: the one that calls Plat, and the one that asks an agent. */
export const DIRECT_FIELDS: readonly (keyof Ipam)[] = [
  ...(["endpoint", "region", "tokenFile", "space", "host"] as const),
];
export const AGENT_FIELDS: readonly (keyof Ipam)[] = ["socket"];

/** The type of the section, which is the file of the plugin. */
export const PLUGIN = "plat-cni";

/** An attachment that is in use, as a GC names it. */
const attachment = v.object({
  containerID: v.string("must be the id of a container"),
  ifname: v.string("must be the name of an interface"),
});

/** A list without entries may be `null`, as Go writes it. */
const attachments = v.optional(
  v.pipe(
    v.nullable(v.array(attachment, "must be an array of attachments")),
    v.transform((listed) => listed ?? []),
  ),
);

const askedAddresses = v.nullish(v.array(text, "must be an array of addresses"));

/** The fields of a network configuration that concern an IPAM plugin. The others are those of the main plugin. */
const configuration = v.object({
  name: v.pipe(
    text,
    v.regex(
      /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/,
      "must begin with a letter or a digit, and have letters, digits, _, . and - only",
    ),
  ),
  ipam: v.record(v.string(), v.unknown(), 'must be the section of the plugin, with "type"'),
  args: v.nullish(v.object({ cni: v.nullish(v.object({ ips: askedAddresses })) })),
  runtimeConfig: v.nullish(v.object({ ips: askedAddresses })),
  prevResult: v.optional(v.unknown()),
  "cni.dev/valid-attachments": attachments,
  // The name in a draft of the specification, which libcni sends as well.
  "cni.dev/attachments": attachments,
});

/** A network configuration, as the plugin uses it. */
export interface NetworkConfiguration {
  readonly cniVersion: string;
  readonly name: string;
  readonly ipam: Ipam;
  /** The addresses that the runtime asks for by the capability `ips`. */
  readonly ips: readonly string[];
  /** The addresses that `args` asks for. */
  readonly argsIps: readonly string[];
  readonly prevResult: unknown;
  /** Those of a GC; absent in other commands. */
  readonly validAttachments: readonly v.InferOutput<typeof attachment>[] | undefined;
}

/** Parses the standard input. @throws {CniError} */
export function jsonOf(stdin: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(stdin);
  } catch (error) {
    throw new CniError(CODE.decoding, `The network configuration is not JSON: ${messageOf(error)}`);
  }
  if (isRecord(value)) return value;
  throw new CniError(CODE.decoding, "The network configuration is not a JSON object.");
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Returns the version of the specification that the configuration and its result have. @throws {CniError} */
function versionOf({ cniVersion = "0.1.0" }: Readonly<Record<string, unknown>>): string {
  const version = SUPPORTED_VERSIONS.find((one) => one === cniVersion);
  if (version) return version;
  throw new CniError(
    CODE.incompatibleVersion,
    `cniVersion ${JSON.stringify(cniVersion)} is not supported.`,
    `Use one of ${SUPPORTED_VERSIONS.join(", ")}.`,
  );
}

/**
 * Checks a network configuration.
 *
 * @param without the fields of the section `ipam` that the plugin does not have
 * @throws {CniError}
 */
export function networkConfigurationOf(
  json: Readonly<Record<string, unknown>>,
  without: readonly string[],
): NetworkConfiguration {
  const cniVersion = versionOf(json);
  const { name, ipam, args, runtimeConfig, prevResult, ...rest } = valid(configuration, json, "");
  const known = Object.keys(ipamSection.entries).filter((key) => !without.includes(key));
  for (const [key, value] of Object.entries(ipam))
    if (!known.includes(key))
      throw new CniError(
        CODE.unsupportedField,
        `ipam.${key} is no field of ${PLUGIN}; its value is ${JSON.stringify(value)}.`,
        `Known are ${known.join(", ")}.`,
      );
  return {
    cniVersion,
    name,
    ipam: valid(ipamSection, ipam, "ipam."),
    ips: runtimeConfig?.ips ?? [],
    argsIps: args?.cni?.ips ?? [],
    prevResult,
    validAttachments: rest["cni.dev/valid-attachments"] ?? rest["cni.dev/attachments"],
  };
}

/** Parses a value, or throws all that is wrong with it. @throws {CniError} */
function valid<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  prefix: string,
): v.InferOutput<Schema> {
  const result = orProblem(() => checked(schema, value));
  if (!(result instanceof Problem)) return result;
  const problems = result.members.fields as readonly { field: string; problem: string }[];
  throw new CniError(
    CODE.invalidConfiguration,
    `The network configuration is not valid: ${problems
      .map(({ field, problem }) => `${prefix}${field} ${problem}`)
      .join("; ")}.`,
  );
}
