import type { Answer, Parameters, PlatClient } from "../../client/index.ts";

export type CiliumNode = Answer<"readCiliumNode">;

/** Reads the CiliumNode of a node, with what the node has now. */
export async function readCiliumNode(client: PlatClient, node: string): Promise<CiliumNode> {
  return (await client.readCiliumNode({ node })).body;
}

/** The options of a PUT of a CiliumNode. Those that are absent have the API's defaults. */
export type CiliumQuery = Omit<Parameters<"putCiliumNode">, "node" | "body">;

/** Grants a node what its CiliumNode asks for, and returns the object with that filled in. */
export async function putCiliumNode(
  client: PlatClient,
  node: string,
  object: object,
  query: CiliumQuery,
): Promise<CiliumNode> {
  return (
    await client.putCiliumNode({
      node,
      ...query,
      body: object as Parameters<"putCiliumNode">["body"],
    })
  ).body;
}

/** Releases all that a uid of a node has by its CiliumNode. A repeat releases nothing. */
export async function releaseCiliumNode(
  client: PlatClient,
  node: string,
  uid: string,
): Promise<Answer<"releaseCiliumNode">> {
  return (await client.releaseCiliumNode({ node, uid })).body;
}
