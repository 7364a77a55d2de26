import * as v from "valibot";
import { maxBlocksPerHost, whole, written } from "../../../api/answer-parts.ts";
import type { Settings } from "../settings.ts";

const settings = {
  strictAffinity: v.boolean(),
  autoAllocateBlocks: v.boolean(),
  warmBlocksPerHost: whole,
  cooldownSeconds: whole,
  conflictQuarantineSeconds: whole,
  blockMinAgeSeconds: whole,
  maxBlocksPerHost,
  maxAddressesPerRequest: whole,
  allowBareRelease: v.boolean(),
  requireRegisteredHosts: v.boolean(),
  nodeQuarantineSeconds: whole,
  goneNodesPercentMax: whole,
  nodeMonitorGraceSeconds: whole,
  nodeStartupGraceSeconds: whole,
  indexedAttributes: v.array(v.string()),
} satisfies Readonly<Record<keyof Settings, v.GenericSchema>>;

export const settingsRead = v.strictObject(settings);

export const settingsWritten = v.strictObject({ ...settings, ...written });
