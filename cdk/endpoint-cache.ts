/**
 * Replaces `@aws-sdk/endpoint-cache` in bundles. The SDK would keep endpoints there that it asked DynamoDB for, and it asks only if it is
 * told to. A cache that keeps nothing is a correct one, and loads no library of caches.
 */
export class EndpointCache {
  getEndpoint(): undefined {}

  get(): undefined {}

  set(): void {}

  delete(): void {}
}
