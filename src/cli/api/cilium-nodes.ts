import type * as v from "valibot";
import type { ciliumNode } from "../../contract/answers/answers.ts";
import { type Client, path } from "./client.ts";

export type CiliumNode = v.InferOutput<typeof ciliumNode>;

/** Reads the CiliumNode of a node, with what the node has now. */
export async function readCiliumNode(client: Client, node: string): Promise<CiliumNode> {
  const { body } = await client.call<CiliumNode>({
    method: "GET",
    path: path`/v1/nodes/${node}/cilium`,
  });
  return body;
}

/** The options of a PUT of a CiliumNode. Those that are absent have the API's defaults. */
export interface CiliumQuery {
  readonly mode?: string | undefined;
  readonly families?: string | undefined;
  readonly releaseAfterSeconds?: number | undefined;
  readonly withdrawAfterSeconds?: number | undefined;
}

/** Grants a node what its CiliumNode asks for, and returns the object with that filled in. */
export async function putCiliumNode(
  client: Client,
  node: string,
  object: object,
  query: CiliumQuery,
): Promise<CiliumNode> {
  const { body } = await client.call<CiliumNode>({
    method: "PUT",
    path: path`/v1/nodes/${node}/cilium`,
    query: { ...query },
    body: object,
    // A repeat answers the same.
    isRepeatable: true,
  });
  return body;
}
