import { AwsV4Signer } from "aws4fetch";
import type { Sign } from "../src/local/client.ts";

/** Returns a function that signs requests to the API with SigV4. */
export function signing(
  keys: { readonly accessKeyId: string; readonly secretAccessKey: string },
  region: string,
): Sign {
  return async (method, url, headers, payload) => {
    const signer = new AwsV4Signer({
      ...keys,
      method,
      url: url.href,
      headers,
      ...(payload !== undefined && { body: payload }),
      service: "execute-api",
      region,
    });
    const { headers: signed } = await signer.sign();
    return Object.fromEntries(signed);
  };
}
