import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "./metrics.ts";

/** A cluster that is silent for so long is one that a process does not hear any more. */
const SILENCE_MS_MAX = 10 * 60_000;

/** The state of the controller, as probes ask for it. */
export interface ControllerHealth {
  /** The problems that keep the controller from being ready. */
  readonly unready: () => readonly string[];
  /** The problems that only a restart can mend. */
  readonly unhealthy: () => readonly string[];
  readonly metrics: Metrics;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` until the signal ends it. Returns the port.
 *
 * @param listen.host empty for every address of the machine
 */
export async function serveProbes(
  { unready, unhealthy, metrics }: ControllerHealth,
  listen: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<number> {
  const { host, port } = listen;
  const probe = (problems: readonly string[]) =>
    problems.length === 0
      ? { status: 200, body: "ok\n" }
      : { status: 503, body: problems.map((problem) => `${problem}\n`).join("") };
  const pages: Readonly<Record<string, () => { status: number; body: string }>> = {
    "/healthz": () => probe(unhealthy()),
    "/readyz": () => probe(unready()),
    "/metrics": () => ({ status: 200, body: metrics.text() }),
  };
  const server: Server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const { status, body } = page?.() ?? { status: 404, body: "not found\n" };
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ port, ...(host !== "" && { host }) }, resolve);
  });
  signal.addEventListener("abort", () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Says that the API server is silent, if it is. Of those that listen to it, the first one counts that has a time at which it
 * heard it: another one that still hears it does not help.
 */
export function silenceOf(
  hearing: readonly ({ readonly heardAtMs: number | undefined } | undefined)[],
  nowMs: number,
): readonly string[] {
  const heardAtMs = hearing.find((each) => each?.heardAtMs !== undefined)?.heardAtMs;
  return heardAtMs !== undefined && nowMs - heardAtMs > SILENCE_MS_MAX
    ? [`the API server was not heard for ${SILENCE_MS_MAX / 60_000} minutes`]
    : [];
}
