import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A way to the server that is cut off at a write, before it arrives or before it is answered; nothing gets through after. */
export async function cutOffAt(
  serverUrl: string,
  write: number,
  when: "before" | "after",
): Promise<{ readonly url: string; readonly writes: () => number; stop(): void }> {
  let writes = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const isWrite = method !== "GET" && !url.includes("dryRun=true");
    if (isWrite) writes++;
    const isCut = writes >= write && (isWrite || writes > write);
    if (writes > write || (isCut && when === "before")) {
      writes = Math.max(writes, write + 1);
      incoming.socket.destroy();
      return;
    }
    const onward = request(new URL(url, serverUrl), { method, headers }, (answer) => {
      if (isCut) {
        answer.resume().on("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    writes: () => writes,
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
