import type { Answer, Parameters, PlatClient } from "../../client/index.ts";

type Listed = Answer<"listPodCidrs">;
export type NodeCidr = Omit<Listed["podCIDRs"][number], "uid"> & { readonly uid?: string };
/** The prefixes that a node is to have. */
export type NodeCidrRequest = Parameters<"ensurePodCidrs">["body"];
export type Ensured = Answer<"ensurePodCidrs">;

/** Reads the prefixes of a node, or those of one uid. */
export async function readNodeCidrs(
  client: PlatClient,
  node: string,
  uid: string | undefined,
): Promise<Listed> {
  return (await client.listPodCidrs({ node, uid })).body;
}

/** Ensures that a node has its prefixes. */
export async function ensureNodeCidrs(
  client: PlatClient,
  node: string,
  said: NodeCidrRequest,
): Promise<Ensured> {
  return (await client.ensurePodCidrs({ node, body: said })).body;
}

/** Releases the prefixes of a uid of a node, or one of them. */
export async function releaseNodeCidrs(
  client: PlatClient,
  node: string,
  query: { readonly uid: string; readonly cidr?: string | undefined },
): Promise<Answer<"releasePodCidrs">> {
  return (await client.releasePodCidrs({ node, ...query })).body;
}
