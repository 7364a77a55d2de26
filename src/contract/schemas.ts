import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as v from "valibot";
import { workload } from "../api/schema/handle.ts";
import { labelExpression, labelSelector } from "../api/schema/selector.ts";
import { EVENT_TYPES } from "../base/event-type.ts";
import { amendmentBody } from "../nouns/address/contract/amendment-request.ts";
import { assignBody } from "../nouns/address/contract/assign-request.ts";
import {
  batchBody,
  batchedRelease,
  batchedRequest,
} from "../nouns/address/contract/batch-request.ts";
import { entrySchema, releaseBody } from "../nouns/address/contract/release-request.ts";
import { affinitiesBody } from "../nouns/affinity/contract/request.ts";
import { applicationBody } from "../nouns/application/contract/request.ts";
import { ciliumNodeBody } from "../nouns/cilium/contract/request.ts";
import {
  cloudEvent,
  eventList,
  nodeListBody,
  watchEvent,
} from "../nouns/node/contract/events-request.ts";
import { ipPoolManifest } from "../nouns/pool/contract/calico-ippool.ts";
import { poolBody } from "../nouns/pool/contract/request.ts";
import { spiderIpPoolManifest } from "../nouns/pool/contract/spider-ippool.ts";
import { spiderSubnetManifest } from "../nouns/pool/contract/spider-subnet.ts";
import { podCidrsBody } from "../nouns/prefix/contract/node-prefix-request.ts";
import { prefixBody, prefixReleaseBody } from "../nouns/prefix/contract/request.ts";
import { quotaBody } from "../nouns/quota/contract/request.ts";
import {
  namespaceBody,
  namespaceManifest,
  nodeBody,
  nodeManifest,
} from "../nouns/registry/contract/request.ts";
import { reservationBody } from "../nouns/reservation/contract/request.ts";
import { reservedIpManifest } from "../nouns/reservation/contract/spider-reserved-ip.ts";
import { settingsBody } from "../nouns/settings/contract/request.ts";
import * as answers from "./answers.ts";
import { ROUTES } from "./routes.ts";
import { FIELD_WORDS } from "./words.ts";

/** The error of API Gateway, before Plat gets the request or in place of its answer. */
export const gatewayProblem = v.object({
  message: v.pipe(v.string(), v.description("The message of API Gateway.")),
});

/** The component schemas: the bodies of requests and answers, and the parts that several of them share. */
const NAMED: Readonly<Record<string, v.GenericSchema>> = {
  AssignRequest: assignBody,
  ReleaseRequest: releaseBody,
  BatchRequest: batchBody,
  BatchedRequest: batchedRequest,
  BatchedRelease: batchedRelease,
  AddressToRelease: entrySchema,
  WorkloadInstance: workload,
  AmendRequest: amendmentBody,
  AffinitiesRequest: affinitiesBody,
  PoolRequest: poolBody,
  PoolManifest: ipPoolManifest,
  LabelSelector: labelSelector,
  LabelSelectorRequirement: labelExpression,
  SpiderIpPoolManifest: spiderIpPoolManifest,
  SpiderSubnetManifest: spiderSubnetManifest,
  QuotaRequest: quotaBody,
  ReservationRequest: reservationBody,
  ReservedIpManifest: reservedIpManifest,
  NodeRequest: nodeBody,
  NodeManifest: nodeManifest,
  NamespaceRequest: namespaceBody,
  NamespaceManifest: namespaceManifest,
  ApplicationRequest: applicationBody,
  PodCidrsRequest: podCidrsBody,
  PrefixRequest: prefixBody,
  PrefixReleaseRequest: prefixReleaseBody,
  CiliumNodeRequest: ciliumNodeBody,
  CompleteNodesRequest: nodeListBody,
  EventList: eventList,
  WatchEvent: watchEvent,
  CloudEvent: cloudEvent,
  ConfigurationRequest: settingsBody,
  Assigned: answers.assigned,
  Assignment: answers.assignment,
  AssignedAddress: answers.assignedAddress,
  Explanation: answers.explanation,
  FamilyExplanation: answers.familyExplanation,
  PoolConsidered: answers.poolConsidered,
  BlockToUse: answers.blockToUse,
  Rejection: answers.rejection,
  MissingAddresses: answers.missingOfFamily,
  Released: answers.released,
  HandleReleased: answers.handleReleased,
  HostReleased: answers.hostReleased,
  InstanceReleased: answers.instanceReleased,
  AddressesReleased: answers.addressesReleased,
  BatchAnswer: answers.batchDone,
  BatchResult: answers.batchResult,
  ReleaseResult: answers.releaseResult,
  Amended: answers.amended,
  Quarantined: answers.quarantined,
  QuarantineLifted: answers.lifted,
  Owners: answers.owner,
  Address: answers.addressRead,
  HeldAddress: answers.heldAddress,
  AddressList: answers.addressesRead,
  SearchRead: answers.searchRead,
  ListRead: answers.listRead,
  HandleList: answers.handlesRead,
  ListedHandle: answers.handleListed,
  HostList: answers.hostsRead,
  ListedHost: answers.hostListed,
  Handle: answers.handleRead,
  Usage: answers.usageCounted,
  BlockUsage: answers.blockUsage,
  Block: answers.blockStatus,
  BlockWithAddresses: answers.blockRead,
  AddressInBlock: answers.addressInBlock,
  HostReserved: answers.hostReserved,
  BlockList: answers.blocksRead,
  AffinityList: answers.affinitiesRead,
  SpaceAffinityList: answers.spaceAffinitiesRead,
  AffinitiesClaimed: answers.affinitiesClaimed,
  RangeClaimed: answers.rangeClaimed,
  BlocksEnsured: answers.blocksEnsured,
  AffinitiesReleased: answers.affinitiesReleased,
  PoolUtilization: answers.utilizationRead,
  ChildPool: answers.childUsage,
  SpaceUtilization: answers.spaceUtilizationRead,
  OrphanPage: answers.orphansRead,
  PoolMap: answers.poolMapRead,
  MappedGroup: answers.mappedGroup,
  MappedBlocks: answers.mappedBlocks,
  PoolHistory: answers.poolHistoryRead,
  UsageSample: answers.usageSample,
  AlarmList: answers.alarmsRead,
  Alarm: answers.crossedAlarm,
  Pool: answers.poolRead,
  PoolList: answers.poolsRead,
  PoolWritten: answers.poolWritten,
  Quota: answers.quotaRead,
  QuotaUsage: answers.quotaUsageRead,
  QuotaList: answers.quotasRead,
  QuotaWritten: answers.quotaWritten,
  QuotaDeleted: answers.quotaDeleted,
  Reservation: answers.reservationRead,
  ReservationList: answers.reservationsRead,
  ReservationWritten: answers.reservationWritten,
  ReservationWarning: answers.reservationWarning,
  ReservationDeleted: answers.reservationDeleted,
  NodeList: answers.nodesRead,
  NodesCompleted: answers.nodesCompleted,
  NodeWithStatus: answers.nodeRead,
  NodeStatus: answers.nodeStatus,
  NodePatch: answers.nodePatch,
  Zones: answers.zonesRead,
  Zone: answers.zoneRead,
  EventsApplied: answers.eventsApplied,
  EventResult: answers.eventResult,
  Namespace: answers.namespaceRead,
  NamespaceList: answers.namespacesRead,
  LabelledWritten: answers.labelledWritten,
  NamespaceWritten: answers.namespaceWritten,
  LabelledDeleted: answers.labelledDeleted,
  Application: answers.applicationRead,
  ApplicationList: answers.applicationsRead,
  ApplicationWritten: answers.applicationWritten,
  ApplicationDeleted: answers.applicationDeleted,
  PodCidrs: answers.podCidrsEnsured,
  PodCidr: answers.podCidr,
  PodCidrList: answers.podCidrsRead,
  ListedPodCidr: answers.listedPodCidr,
  CiliumNode: answers.ciliumNodeRead,
  CiliumNodeReleased: answers.ciliumNodeReleased,
  PodCidrsReleased: answers.podCidrsReleased,
  PrefixAssigned: answers.prefixAssigned,
  PrefixAssignment: answers.prefixAssignment,
  AssignedPrefix: answers.assignedPrefix,
  Prefixes: answers.prefixesRead,
  HeldPrefix: answers.heldPrefix,
  PrefixesReleased: answers.prefixesReleased,
  ApplicationAddresses: answers.applicationAddresses,
  ApplicationInterface: answers.applicationInterface,
  ApplicationMember: answers.applicationMember,
  UnfinishedApplication: answers.unfinishedApplication,
  ConfigurationRead: answers.settingsRead,
  ConfigurationWritten: answers.settingsWritten,
  AddressHistory: answers.addressHistoryRead,
  HandleHistory: answers.handleHistoryRead,
  EventPage: answers.eventsRead,
  Event: answers.event,
  ...Object.fromEntries(EVENT_TYPES.map((type) => [`${type}Event`, answers.EVENTS[type]])),
  Job: answers.jobRead,
  JobList: answers.jobsRead,
  JobBegun: answers.jobBegun,
  JobDryRun: answers.jobDryRun,
  WalkCounts: answers.walk,
  SpaceList: answers.spacesRead,
  Space: answers.spaceListed,
  Contents: answers.contentsRead,
  Health: answers.health,
  Principal: answers.principalRead,
  Grant: answers.grant,
  Version: answers.versionRead,
  UnreadableItem: answers.unreadableItem,
  Problem: answers.problem,
  FieldAtFault: answers.fieldAtFault,
  GatewayProblem: gatewayProblem,
};

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** A JSON Schema, as far as this file looks into it. */
export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

type Regex = v.RegexAction<string, undefined>;

/** Classes of Unicode as ranges: only some languages know the classes by name. */
const RANGES = {
  Cc: "\\u0000-\\u001f\\u007f-\\u009f",
  Cs: "\\ud800-\\udfff",
  Zl: "\\u2028",
  Zp: "\\u2029",
  Bidi_C: "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069",
};

const portable = (pattern: string): string =>
  pattern
    .replace(/\\P\{(Cc|Cs)\}/g, (_, name: "Cc" | "Cs") => `[^${RANGES[name]}]`)
    .replace(/\\p\{(Cc|Cs|Zl|Zp|Bidi_C)\}/g, (_, name: keyof typeof RANGES) => RANGES[name]);

/** Returns the lengths that a pattern implies: those of its one class of characters, or that it takes no empty text. */
function lengthsOf(pattern: RegExp): JsonSchema {
  const [, min, max = min] =
    /^\^(?:\(\?!.*?\$\)\))?(?:\[[^\]]*\]|\\d)\{(\d+)(?:,(\d+))?\}\$$/.exec(pattern.source) ?? [];
  if (max !== undefined) return { minLength: Number(min), maxLength: Number(max) };
  return pattern.test("") ? {} : { minLength: 1 };
}

const refTo = (name: string) => `#/components/schemas/${name}`;

/** The settings by which valibot schemas become JSON Schemas. */
export const CONVERSION = {
  target: "draft-2020-12",
  typeMode: "input",
  // Rules over several fields, and what only the domain can read: JSON Schema has no words for them.
  ignoreActions: ["check", "raw_check"],
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (valibotSchema.type === "custom") return jsonSchema;
    if (valibotSchema.type === "nullable") return nullable(jsonSchema as JsonSchema);
    // A choice of whole numbers, which generators take for decimal ones without this.
    if (jsonSchema.enum?.every(Number.isInteger)) return { ...jsonSchema, type: "integer" };
    // Generators of clients know no constant that is a truth value.
    return valibotSchema.type === "literal" && jsonSchema.const === true
      ? { type: "boolean" }
      : undefined;
  },
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === "regex"
      ? {
          ...lengthsOf((valibotAction as Regex).requirement),
          ...jsonSchema,
          pattern: portable((valibotAction as Regex).requirement.source),
        }
      : undefined,
  overrideRef: ({ referenceId }) => refTo(referenceId),
} satisfies ConversionConfig;

/** Returns the schema of a value or null as one type that can be null: generators make classes that do not compile of a union with null. */
function nullable(schema: JsonSchema): JsonSchema | undefined {
  const [value, ...others] = (schema.anyOf ?? []) as readonly JsonSchema[];
  if (typeof value?.type !== "string" || others.some(({ type }) => type !== "null"))
    return undefined;
  return {
    ...value,
    type: [value.type, "null"],
    ...(value.enum !== undefined && { enum: [...(value.enum as readonly unknown[]), null] }),
  };
}

/** Returns the component schemas, each field with its description. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const schemas = toJsonSchemaDefs(NAMED, CONVERSION) as Record<string, JsonSchema>;
  return Object.fromEntries([
    ...Object.entries(schemas).map(([name, schema]) => [name, described(schema, name)]),
    ...ROUTES.flatMap(({ body = [] }) => (body.length > 1 ? [formsOf(body)] : [])),
  ]);
}

/**
 * Returns the JSON Schema of a body in its forms: a reference, to a component of its own if there are more than one.
 * Generators of clients have no methods for a union without a name.
 */
export function bodySchemaOf(forms: readonly v.GenericSchema[]): JsonSchema {
  const [only] = forms;
  return only && forms.length === 1 ? schemaOf(only) : { $ref: refTo(formsOf(forms)[0]) };
}

/** Returns the component of a body with more than one form. The first form gives it the name. */
function formsOf(forms: readonly v.GenericSchema[]): readonly [name: string, schema: JsonSchema] {
  const [first] = forms;
  return [`${first && NAMES.get(first)}Forms`, { anyOf: forms.map(schemaOf) }];
}

/** Returns the JSON Schema of a value: a reference if it is a component. */
export function schemaOf(schema: v.GenericSchema): JsonSchema {
  const name = NAMES.get(schema);
  if (name !== undefined) return { $ref: refTo(name) };
  const { $schema: _, ...json } = toJsonSchema(schema, CONVERSION);
  return json as JsonSchema;
}

/**
 * Returns the same schema, with a description for each field that has none. A default is told in the description: from the keyword
 * generators make fields that each request must have, and defaults of objects that do not compile.
 *
 * @param within the name of the schema: that of its component, or of the field that it is of
 */
export function described(schema: JsonSchema, within: string): JsonSchema {
  const walked = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, walkedInto(key, value, within)]),
  ) as JsonSchema;
  if (!walked.properties) return walked;
  const properties = Object.entries(walked.properties).map(
    ([name, { default: usual, ...field }]) => {
      const words = FIELD_WORDS[`${within}.${name}`] ?? field.description ?? FIELD_WORDS[name];
      const said = [words, usual !== undefined && `Default: \`${JSON.stringify(usual)}\`.`];
      const description = said.filter(Boolean).join(" ");
      return [name, description === "" ? field : { ...field, description }];
    },
  );
  return { ...walked, properties: Object.fromEntries(properties) };
}

function walkedInto(key: string, value: unknown, within: string): unknown {
  if (key === "properties")
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, field]) => [
        name,
        described(field, name),
      ]),
    );
  if (key === "anyOf") return (value as readonly JsonSchema[]).map((one) => described(one, within));
  const isSchema = typeof value === "object" && value !== null;
  if (key === "items" || (key === "additionalProperties" && isSchema))
    return described(value as JsonSchema, within);
  return value;
}
