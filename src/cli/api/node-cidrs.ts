import type * as v from "valibot";
import type {
  podCidrsEnsured,
  podCidrsRead,
  podCidrsReleased,
} from "../../contract/answers/answers.ts";
import { type Client, path } from "./client.ts";

type Listed = v.InferOutput<typeof podCidrsRead>;
export type NodeCidr = Omit<Listed["podCIDRs"][number], "uid"> & { readonly uid?: string };
export type Ensured = v.InferOutput<typeof podCidrsEnsured>;

/** Reads the prefixes of a node, or those of one uid. */
export async function readNodeCidrs(
  client: Client,
  node: string,
  uid: string | undefined,
): Promise<Listed> {
  const route = path`/v1/nodes/${node}/pod-cidrs`;
  const { body } = await client.call<Listed>({ method: "GET", path: route, query: { uid } });
  return body;
}

/** Ensures that a node has its prefixes. */
export async function ensureNodeCidrs(
  client: Client,
  node: string,
  said: object,
): Promise<Ensured> {
  const { body } = await client.call<Ensured>({
    method: "POST",
    path: path`/v1/nodes/${node}/pod-cidrs`,
    body: said,
    // A repeat answers the same.
    isRepeatable: true,
  });
  return body;
}

/** Releases the prefixes of a uid of a node, or one of them. */
export async function releaseNodeCidrs(
  client: Client,
  node: string,
  query: { readonly uid: string; readonly cidr?: string | undefined },
): Promise<v.InferOutput<typeof podCidrsReleased>> {
  const { body } = await client.call<v.InferOutput<typeof podCidrsReleased>>({
    method: "DELETE",
    path: path`/v1/nodes/${node}/pod-cidrs`,
    query,
  });
  return body;
}
