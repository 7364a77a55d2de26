/** The kind of a block's owner, as in Calico: `virtual` owners are no machines, such as a load balancer, and never collide with hosts. */
export type AffinityType = "host" | "virtual";

/** `host:node-1`: the affinity type and the name, as keys and blocks carry them. */
export type HostId = `${AffinityType}:${string}`;

export const hostId = (type: AffinityType, name: string): HostId => `${type}:${name}`;

export const affinityTypeOf = (id: HostId): AffinityType =>
  id.slice(0, id.indexOf(":")) as AffinityType;

export const hostName = (id: HostId): string => id.slice(id.indexOf(":") + 1);

/** Returns the name of a host; nothing for a virtual owner, which is no machine. */
export const machineName = (id: HostId): string | undefined =>
  affinityTypeOf(id) === "host" ? hostName(id) : undefined;
