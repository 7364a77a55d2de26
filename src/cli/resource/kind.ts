import { API_VERSIONS as CALICO_VERSIONS } from "../../contract/requests/manifest.ts";
import { NAMED_PER_PAGE_MAX } from "../../contract/requests/query.ts";
import { LABELLED_PER_PAGE_MAX } from "../../domain/limits.ts";
import { type Path, path } from "../api/client.ts";
import { usageError } from "../shell/exit.ts";

/** A kind of named resource that operators define: its path in the API, and its manifest. */
export interface Kind {
  /** The name of one object in the command: `pool`. */
  readonly noun: string;
  /** A name for the examples in the help. */
  readonly sample: string;
  /** The prefix of a name, as kubectl prints it: `ippool/web`. */
  readonly title: string;
  /** The plural of the name, in paths and lists of the API. */
  readonly plural: string;
  /** The page size: the maximum. */
  readonly perPage: number;
  readonly manifest: { readonly kind: string; readonly apiVersions: readonly string[] };
  /** Returns the body of a PUT for a manifest. */
  readonly bodyOf: (manifest: Manifest) => object;
  /** Fields that a manifest cannot contain; `apply` does not change them. */
  readonly unsaid: readonly string[];
}

/** A document with its kind, as in kubectl. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: unknown };
  readonly spec?: unknown;
}

export const POOL: Kind = {
  noun: "pool",
  sample: "default-ipv4",
  title: "ippool",
  plural: "pools",
  perPage: NAMED_PER_PAGE_MAX,
  manifest: { kind: "IPPool", apiVersions: CALICO_VERSIONS },
  // The API parses it; the fields that a cluster adds are left out.
  bodyOf: ({ apiVersion, kind, metadata: { name }, spec }) => ({
    apiVersion,
    kind,
    metadata: { name },
    spec,
  }),
  unsaid: ["borrowing", "cooldownSeconds"],
};

export const RESERVATION: Kind = {
  noun: "reservation",
  sample: "gateways",
  title: "ipreservation",
  plural: "reservations",
  perPage: NAMED_PER_PAGE_MAX,
  manifest: { kind: "IPReservation", apiVersions: CALICO_VERSIONS },
  bodyOf: ({ metadata: { name }, spec }) => ({ cidrs: reservedCidrs(name, spec) }),
  unsaid: ["reason"],
};

export const NODE: Kind = {
  noun: "node",
  sample: "node-1",
  title: "node",
  plural: "nodes",
  perPage: LABELLED_PER_PAGE_MAX,
  manifest: { kind: "Node", apiVersions: ["v1"] },
  bodyOf: ({ metadata: { labels = {} } }) => ({ labels }),
  unsaid: [],
};

export const NAMESPACE: Kind = {
  ...NODE,
  noun: "namespace",
  sample: "shop",
  title: "namespace",
  plural: "namespaces",
  manifest: { kind: "Namespace", apiVersions: ["v1"] },
};

export const KINDS = [POOL, RESERVATION, NODE, NAMESPACE];

export const listPath = ({ plural }: Pick<Kind, "plural">): Path => path`/v1/${plural}`;

export const pathOf = ({ plural }: Pick<Kind, "plural">, name: string): Path =>
  path`/v1/${plural}/${name}`;

/** Returns a title such as `ippool/web`. */
export const titled = ({ title }: Kind, name: string): string => `${title}/${name}`;

/** Reads the CIDRs of Calico's IPReservation; the API rejects an invalid list with its own message. */
function reservedCidrs(name: string, spec: unknown): unknown {
  const { reservedCIDRs, ...more } = (spec ?? {}) as { readonly reservedCIDRs?: unknown };
  const unknown = Object.keys(more);
  if (unknown.length === 0) return reservedCIDRs ?? [];
  throw usageError(
    `The IPReservation ${name} has spec.${unknown.join(", spec.")}; known is reservedCIDRs.`,
  );
}
