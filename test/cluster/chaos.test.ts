import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../simulation/random.ts";
import { type Lab, OFTEN, type Replica, served, startLab } from "./lab.ts";
import type { AuditedWrite } from "./servers.ts";

const SEED = Number(process.env.SEED ?? 1);
const ROUNDS = 25;
/** The nodes at the start. The pool has prefixes for twice as many, and rounds end far fewer at once than the brake allows. */
const NODES = 120;
const PAUSE_MS_MAX = 3_000;
const ACCOUNT = "system:serviceaccount:plat-system:plat-controller";

/** The ways of Plat, or of the network before it, to treat requests. */
const PLAT_WAYS = ["well", "refuses", "loses answers", "is slow"] as const;

let lab: Lab;
let api: Between;
let plat: PlatBetween;
const replicas: Replica[] = [];

beforeAll(async () => {
  lab = await startLab();
  api = await between(lab.plane.port);
  plat = await platBetween(lab.plat.url);
});

afterAll(async () => {
  await lab?.stop();
  api?.stop();
  plat?.stop();
});

it(`after ${ROUNDS} mishaps of seed ${SEED} each Node has a range of its own, and what is gone has none`, async () => {
  const random = seededRandom(SEED);
  const below = (max: number) => Math.floor(random.fraction() * max);
  const names = new Set<string>();
  const replaced = new Set<string>();
  const join = async (name: string) => {
    names.add(name);
    await lab.putNode(name);
  };
  const end = async (name: string) => {
    names.delete(name);
    await lab.deleteNode(name);
  };
  const drawn = () => [...names][below(names.size)] ?? "";
  const replica = () => replicas[below(replicas.length)];
  let stopped: Replica | undefined;

  const mishaps: Readonly<Record<string, () => unknown>> = {
    "the API server is killed": () => lab.plane.restart(),
    "nodes end while the API server forgets it": async () => {
      await lab.plane.restart();
      await end(drawn());
      await lab.plane.compact();
      await lab.plane.restart();
    },
    "connections to the API server are cut": () => api.cut(),
    "connections to the API server hang": () => api.hang(),
    "Plat refuses": () => plat.be("refuses"),
    "answers of Plat are lost": () => plat.be("loses answers"),
    "Plat is slow": () => plat.be("is slow"),
    "a replica is killed": () => replica()?.end("SIGKILL"),
    "both replicas are killed, and a node ends meanwhile": async () => {
      for (const each of replicas) await each.end("SIGKILL");
      await end(drawn());
    },
    "a replica stands still": () => {
      stopped = replica();
      stopped?.process.kill("SIGSTOP");
    },
  };

  await lab.install();
  for (let n = 0; n < NODES; n++) await join(`n${n}`);
  await runReplicas();
  const said: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [what = "", act] = Object.entries(mishaps)[below(Object.keys(mishaps).length)] ?? [];
    said.push(what);
    await act?.();
    for (let n = below(4); n > 0; n--) await join(`r${round}-${n}`);
    if (below(2) === 0) await end(drawn());
    if (below(2) === 0) {
      const name = drawn();
      replaced.add(name);
      await end(name);
      await join(name);
    }
    await sleep(below(PAUSE_MS_MAX));
    plat.be("well");
    stopped?.process.kill("SIGCONT");
    stopped = undefined;
    await runReplicas();
    // At no time two nodes have one range.
    const ranges = Object.values(await lab.ranges()).filter((range) => range !== "");
    expect(new Set(ranges).size, said.join(", ")).toBe(ranges.length);
  }
  // Plat keeps what a replaced object had for ten minutes if nobody saw its end.
  const { ranges } = await served(lab, names.size, replaced);
  expect(new Set(Object.keys(ranges))).toEqual(names);
  await lab.command("check");
  const writes = (await lab.plane.writesOf(ACCOUNT)).map(written);
  expect(writes).toContain(RANGES);
  expect(writes.filter((one) => !ALLOWED.includes(one))).toEqual([]);
});

/** The write of podCIDRs, and the other writes that the controller may make. */
const RANGES = "patch nodes metadata.resourceVersion metadata.uid spec.podCIDR spec.podCIDRs";
const ALLOWED = [
  RANGES,
  "create events",
  "patch events",
  "create leases",
  "update leases",
  "create selfsubjectaccessreviews",
];

/** Returns a write in words: of a Node with the fields that it gives. */
function written({ verb, objectRef: { resource }, requestObject = {} }: AuditedWrite): string {
  if (resource !== "nodes") return `${verb} ${resource}`;
  const fields = Object.entries(requestObject).flatMap(([part, value]) =>
    Object.keys(value as object).map((field) => `${part}.${field}`),
  );
  return [verb, resource, ...fields.sort()].join(" ");
}

/** Starts replicas until two run, as a kubelet does with the pods of the Deployment. */
async function runReplicas(): Promise<void> {
  for (const [at, { process: child }] of [...replicas.entries()].reverse())
    if (child.exitCode !== null || child.signalCode !== null) replicas.splice(at, 1);
  while (replicas.length < 2)
    replicas.push(
      await lab.start({
        port: api.port,
        change: (config) => OFTEN.change?.(config).replace(lab.plat.url, plat.url) ?? config,
      }),
    );
}

/** A network in between, which can fail. */
interface Between {
  readonly port: number;
  /** Ends all connections. */
  readonly cut: () => void;
  /** Lets all connections be silent for ever, without an end. */
  readonly hang: () => void;
  readonly stop: () => void;
}

async function between(port: number): Promise<Between> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    hang() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    stop() {
      server.close();
      cut();
    },
  };
}

/** Plat behind a network that can fail. */
interface PlatBetween {
  readonly url: string;
  readonly be: (way: (typeof PLAT_WAYS)[number]) => void;
  readonly stop: () => void;
}

async function platBetween(target: string): Promise<PlatBetween> {
  let way: (typeof PLAT_WAYS)[number] = "well";
  const forwarded = async (request: IncomingMessage) => {
    const { method = "GET", url = "/", headers } = request;
    const body = await buffer(request);
    return fetch(`${target}${url}`, {
      method,
      headers: { "content-type": headers["content-type"] ?? "application/json" },
      ...(body.length > 0 && { body }),
    });
  };
  const server: Server = createHttpServer(async (request, response) => {
    const now = way;
    if (now === "refuses") return void response.writeHead(503).end();
    if (now === "is slow") await sleep(1_000);
    try {
      const answer = await forwarded(request);
      const text = await answer.text();
      if (now === "loses answers") return void response.destroy();
      response
        .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
        .end(text);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    be(next) {
      way = next;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
