import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Lets a server listen on this machine alone, and returns its port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
