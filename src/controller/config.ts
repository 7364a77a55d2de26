import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { parse, YAMLParseError } from "yaml";
import { flag, spaceName, text, whole } from "../api/schema/field.ts";
import { checked, fields } from "../api/schema/schema.ts";
import { utf8Text } from "../base/utf8.ts";
import { CILIUM_DELAY_SECONDS_MAX, FAMILY_TEXTS } from "../nouns/cilium/contract/request.ts";
import { CILIUM_MODES } from "../nouns/cilium/object.ts";
import { cluster } from "../nouns/node/contract/events-request.ts";
import { COLLECT_MODES } from "./lost-pods.ts";
import { NODE_MODES } from "./nodes.ts";

const COMPLETE_SECONDS_DEFAULT = 300;
const [COMPLETE_SECONDS_MIN, COMPLETE_SECONDS_MAX] = [10, 3600];

const CILIUM_SECONDS_DEFAULT = 60;
const [CILIUM_SECONDS_MIN, CILIUM_SECONDS_MAX] = [10, 3600];

const COLLECT_SECONDS_DEFAULT = 900;
const [COLLECT_SECONDS_MIN, COLLECT_SECONDS_MAX] = [10, 86_400];

const config = fields({
  /** The name of the cluster for Plat; `auto` for the uid of the Namespace kube-system. */
  cluster: v.optional(cluster, "auto"),
  plat: fields({
    endpoint: text,
    /** For the signatures of IAM. */
    region: v.optional(text),
    space: v.optional(spaceName),
    /** The file of a token, in place of signatures. */
    tokenFile: v.optional(text),
  }),
  nodes: v.optional(
    fields({
      podCIDRs: v.optional(
        v.picklist([...NODE_MODES, "off"], `must be one of ${[...NODE_MODES, "off"].join(", ")}`),
        NODE_MODES[0],
      ),
      /** True if Nodes get the taints that follow from their conditions and from their silence. */
      lifecycle: v.optional(flag, false),
      /** True if Plat is told which nodes renew their Leases. */
      leases: v.optional(flag, false),
      completeSeconds: v.optional(
        whole(COMPLETE_SECONDS_MIN, COMPLETE_SECONDS_MAX),
        COMPLETE_SECONDS_DEFAULT,
      ),
    }),
    {},
  ),
  /** The part of Cilium's operator; absent if the cluster has another network, or Cilium has its own operator. */
  cilium: v.optional(
    fields({
      mode: v.picklist(CILIUM_MODES, `must be one of ${CILIUM_MODES.join(", ")}`),
      everySeconds: v.optional(
        whole(CILIUM_SECONDS_MIN, CILIUM_SECONDS_MAX),
        CILIUM_SECONDS_DEFAULT,
      ),
      /** The parameters of each request. Those that are absent have the API's defaults. */
      families: v.optional(v.picklist(FAMILY_TEXTS, 'must be "4", "6" or "4,6", in quotes')),
      releaseAfterSeconds: v.optional(whole(0, CILIUM_DELAY_SECONDS_MAX)),
      withdrawAfterSeconds: v.optional(whole(0, CILIUM_DELAY_SECONDS_MAX)),
    }),
  ),
  /** True if IPAddressClaims of Cluster API get their addresses from Plat. */
  clusterApi: v.optional(flag, false),
  pods: v.optional(
    fields({
      /** True if Plat is told which pods are over, so that it releases what they had. */
      end: v.optional(flag, false),
      /** The way with addresses whose pod is gone, though nobody saw its end. */
      collect: v.optional(
        v.picklist(
          [...COLLECT_MODES, "off"],
          `must be one of ${[...COLLECT_MODES, "off"].join(", ")}`,
        ),
        "off",
      ),
      /** The time between two looks, which both must lack a pod. */
      collectSeconds: v.optional(
        whole(COLLECT_SECONDS_MIN, COLLECT_SECONDS_MAX),
        COLLECT_SECONDS_DEFAULT,
      ),
    }),
    {},
  ),
  /** True if pools and reservations are kept as the manifests of Calico say. */
  calico: v.optional(flag, false),
  /** True if pools and reservations are kept as the manifests of Spiderpool say. */
  spiderpool: v.optional(flag, false),
  /** True if namespaces are registered, with their labels and their default pools. */
  namespaces: v.optional(flag, false),
  /** True if controllers of pods are registered as applications. */
  applications: v.optional(flag, false),
  /** True if a pool whose manifest is gone is deleted once it is empty. */
  deletePools: v.optional(flag, false),
});

/** The settings of an operator: `config.yaml` of the ConfigMap. */
export type Config = v.InferOutput<typeof config>;

/** Parses a configuration. @throws {Problem} if a field is wrong, and {YAMLParseError} if it is no YAML */
export const parseConfig = (yaml: string): Config => checked(config, parse(yaml) ?? {});

/** Reads the file of a configuration. @throws {Error} with the file in its message */
export async function readConfig(path: string): Promise<Config> {
  const text = utf8Text(await readFile(path));
  if (!text.ok) throw new Error(`${path}${text.problem}`);
  try {
    return parseConfig(text.value);
  } catch (error) {
    const { message } = error as Error;
    const what = error instanceof YAMLParseError ? "is no YAML" : "is not valid";
    throw new Error(`${path} ${what}: ${message}`);
  }
}
