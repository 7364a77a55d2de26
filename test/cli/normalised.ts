import { COOLDOWN_SECONDS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import type { Resource } from "./cluster.ts";

/**
 * Reduces a dump to the parts that count, in one form. It leaves out metadata, sequence numbers, the order of
 * attributes and of free ordinals, and cooling addresses. It sets a missing field to its default.
 */
export function normalised(resources: readonly Resource[]) {
  const of = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const byName = (kind: string, value: (resource: Resource) => unknown) =>
    Object.fromEntries(
      of(kind)
        .map((resource) => [resource.metadata.name, value(resource)] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    pools: byName("IPPool", ({ spec }) => ({
      allowedUses: ["Workload", "Tunnel"],
      assignmentMode: "Automatic",
      disabled: false,
      nodeSelector: "all()",
      ...spec,
    })),
    reservations: byName("IPReservation", ({ spec }) => spec),
    config: of("IPAMConfig").map(({ spec }) => ({
      ipCooldownSeconds: COOLDOWN_SECONDS_DEFAULT,
      ...spec,
    })),
    blocks: byName("IPAMBlock", ({ spec }) => blockOf(spec)),
    affinities: of("BlockAffinity")
      .map(({ spec }) => `${spec.cidr} ${spec.type || "host"}:${spec.node} ${spec.state}`)
      .sort(),
    handles: Object.fromEntries(
      of("IPAMHandle")
        .map(({ spec }) => [String(spec.handleID), spec.block] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

interface Attribute {
  readonly handle_id?: string;
  readonly secondary?: Record<string, string>;
  readonly alternateOwnerAttrs?: Record<string, string>;
  readonly releasedAt?: string;
}

function blockOf({ cidr, affinity, allocations, attributes, unallocated }: Resource["spec"]) {
  const known = attributes as readonly Attribute[];
  const all = (allocations as readonly (number | null)[]).map((index) => {
    const attribute = index === null ? undefined : known[index];
    return attribute && attribute.releasedAt === undefined ? attribute : null;
  });
  const cooling = (allocations as readonly (number | null)[]).flatMap((index, ordinal) =>
    index !== null && all[ordinal] === null ? [ordinal] : [],
  );
  return {
    cidr,
    affinity,
    allocations: all,
    unallocated: [...(unallocated as readonly number[]), ...cooling].toSorted((a, b) => a - b),
  };
}
