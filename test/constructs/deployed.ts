import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import type { EventOutcome } from "../../src/constructs/handler/life-cycle.ts";
import { decide, type Statement } from "../../twin/iam.ts";
import { Intrinsics } from "../../twin/intrinsics.ts";
import { lambdaNode } from "../../twin/node.ts";
import type { Template } from "./cloud-formation.ts";

const BOOTSTRAP = fileURLToPath(new URL("../../twin/bootstrap.mjs", import.meta.url));
const ACCOUNT = "123456789012";
const REGION = "eu-central-1";

/** Lets the waits of the function pass at once. */
const NO_WAITS = `data:text/javascript,${encodeURIComponent(
  'import timers from "node:timers/promises"; import { syncBuiltinESMExports } from "node:module"; timers.setTimeout = async () => {}; syncBuiltinESMExports();',
)}`;

/** The parts of a resource that this file reads. */
interface Resource {
  readonly Type: string;
  readonly Properties: {
    readonly Code?: { readonly S3Key: string };
    readonly Handler?: string;
    readonly Roles?: unknown;
    readonly PolicyDocument?: { readonly Statement: readonly Statement[] };
  };
}

/** A listening server, with the function that answers its requests. */
async function listening(
  answer: (method: string, path: string, headers: Headers, body: string) => Promise<Response>,
) {
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const said = await answer(
      method,
      url,
      new Headers(headers as Record<string, string>),
      await text(request),
    );
    response.writeHead(said.status, Object.fromEntries(said.headers)).end(await said.text());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/**
 * Starts an API Gateway before a server. It lets a request through if it is signed, and if the policies of the function
 * allow it that called last.
 */
export async function gatewayBefore(server: string) {
  let statements: readonly Statement[] = [];
  const denied: string[] = [];
  const gateway = await listening(async (method, path, headers, body) => {
    const { pathname } = new URL(path, server);
    const resource = `arn:aws:execute-api:${REGION}:${ACCOUNT}:abc123/$default/${method}${pathname}`;
    const isSigned = headers.get("authorization")?.includes(`/${REGION}/execute-api/`);
    const decision = decide(statements, { action: "execute-api:Invoke", resource });
    if (!isSigned || decision !== "allowed") {
      denied.push(`${method} ${pathname}`);
      return Response.json({ message: "Forbidden" }, { status: 403 });
    }
    const passed = new Headers();
    for (const name of ["content-type", "idempotency-key", "if-match", "if-none-match"]) {
      const value = headers.get(name);
      if (value !== null) passed.set(name, value);
    }
    return fetch(new URL(path, server), { method, headers: passed, ...(body && { body }) });
  });
  return {
    ...gateway,
    denied,
    serve: (next: readonly Statement[]) => {
      statements = next;
    },
  };
}

/** The functions of a synthesized stack, each in a process of Lambda's Node.js. */
export async function functionsOf(assembly: string, stack: string) {
  const node = await lambdaNode();
  const template = JSON.parse(await readFile(join(assembly, `${stack}.template.json`), "utf8"));
  const resources: Readonly<Record<string, Resource>> = template.Resources;
  const outcomes = new Map<string, (outcome: EventOutcome) => void>();
  const bucket = await listening(async (method, _path, headers, body) => {
    const answer = JSON.parse(body);
    // CloudFormation's URL is signed for this, and its answers have this size at most.
    const isAccepted = method === "PUT" && !headers.get("content-type") && body.length <= 4_096;
    if (!isAccepted) return new Response("", { status: 403 });
    outcomes.get(answer.RequestId)?.({
      physicalId: answer.PhysicalResourceId,
      ...(answer.Data && { data: answer.Data }),
      ...(answer.Status === "FAILED" && { failure: answer.Reason }),
    });
    return new Response("");
  });
  const processes = new Map<string, ReturnType<typeof fork>>();

  const processOf = (id: string) => {
    const running = processes.get(id);
    if (running) return running;
    const { Code, Handler = "" } = resources[id]?.Properties ?? {};
    const directory = join(assembly, `asset.${Code?.S3Key.replace(".zip", "")}`);
    const started = fork(BOOTSTRAP, {
      execPath: node,
      execArgv: ["--import", NO_WAITS],
      cwd: directory,
      env: {
        _HANDLER: Handler,
        LAMBDA_TASK_ROOT: directory,
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
        AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    processes.set(id, started);
    return started;
  };

  return {
    template: template as Template,
    /** The statements of a function's role that are about APIs. */
    statementsOf(id: string): readonly Statement[] {
      // A role is named by its logical id, as the function and the policy do.
      const ofFunction = JSON.stringify(resources[id]?.Properties);
      const [, role = ""] = /"(\w+Role\w+)","Arn"/.exec(ofFunction) ?? [];
      const named = { name: stack, account: ACCOUNT, region: REGION, resources, outputs: {} };
      return Object.values(resources)
        .filter(({ Type }) => Type === "AWS::IAM::Policy")
        .filter(({ Properties }) => JSON.stringify(Properties.Roles).includes(`"${role}"`))
        .flatMap(({ Properties }) => Properties.PolicyDocument?.Statement ?? [])
        .filter(({ Action }) => Action === "execute-api:Invoke")
        .map((one) => new Intrinsics([named]).resolve(named, one) as Statement);
    },
    /** Calls the function with an event, and returns what it told CloudFormation. */
    async invoke(
      event: CloudFormationCustomResourceEvent,
      timeoutMs: number,
    ): Promise<EventOutcome> {
      const told = new Promise<EventOutcome>((resolve) => outcomes.set(event.RequestId, resolve));
      const payload = JSON.stringify({ ...event, ResponseURL: `${bucket.url}/?signature=s` });
      processOf(event.ServiceToken).send({
        payload,
        deadlineMs: Date.now() + timeoutMs,
        context: {},
      });
      return told;
    },
    stop() {
      bucket.stop();
      for (const running of processes.values()) running.kill("SIGKILL");
    },
  };
}
