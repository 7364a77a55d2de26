import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KubeError, kubeApi, podIdentity } from "../../src/controller/kube/api.ts";

/** Calls a server while it lasts. */
async function served<T>(listener: RequestListener, act: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("a request to the API server", () => {
  it("carries the token as it is then, and a PATCH is a merge patch", () => {
    const seen: unknown[] = [];
    let tokens = 0;
    return served(
      ({ method, url, headers }, response) => {
        seen.push([method, url, headers.authorization, headers["content-type"]]);
        response.end("{}");
      },
      async (url) => {
        const api = kubeApi({ url, token: async () => `t${tokens++}` });
        await api.send({ path: "/api/v1/nodes", query: { limit: "5" } });
        await api.send({ method: "PATCH", path: "/api/v1/nodes/n1", body: {} });
        expect(seen).toEqual([
          ["GET", "/api/v1/nodes?limit=5", "Bearer t0", undefined],
          ["PATCH", "/api/v1/nodes/n1", "Bearer t1", "application/merge-patch+json"],
        ]);
      },
    );
  });

  it("asks for the metadata alone in the words of a list or of a watch", () => {
    const seen: unknown[] = [];
    return served(
      ({ headers }, response) => {
        seen.push(headers.accept);
        response.end("{}");
      },
      async (url) => {
        const api = kubeApi({ url });
        const request = { path: "/api/v1/pods", metadataOnly: true };
        await api.send(request);
        for await (const _ of await api.lines({ ...request, query: { watch: "1" } })) break;
        await api.send({ path: "/api/v1/pods" });
        expect(seen).toEqual([
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
          "application/json",
        ]);
      },
    );
  });

  it.each([
    [
      JSON.stringify({ kind: "Status", reason: "Conflict", message: "modified" }),
      { status: 409, reason: "Conflict", message: "modified", retryAfterMs: 3_000 },
    ],
    ["<html>", { status: 409, reason: "", message: "status 409", retryAfterMs: 3_000 }],
  ])("that is refused says why: %s", (body, error) =>
    served(
      (_, response) => response.writeHead(409, { "retry-after": "3" }).end(body),
      async (url) => {
        const refused = await kubeApi({ url })
          .send({ path: "/" })
          .catch((one: unknown) => one);
        expect(refused).toBeInstanceOf(KubeError);
        expect(refused).toMatchObject(error);
      },
    ),
  );

  it("that watches gets whole lines, wherever the server cuts them, and none that is cut off", () =>
    served(
      async (_, response) => {
        const bytes = Buffer.from('{"a":"ü"}\n{"b":1}\n{"c');
        for (const byte of bytes) {
          response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        response.destroy();
      },
      async (url) => {
        const lines: string[] = [];
        const watching = (async () => {
          const told = await kubeApi({ url }).lines({ path: "/" });
          for await (const line of told) lines.push(line);
        })();
        await expect(watching).rejects.toThrow();
        expect(lines).toEqual(['{"a":"ü"}', '{"b":1}']);
      },
    ));

  it("that watches ends after a silence, and fails if the silence comes before its answer", () =>
    served(
      ({ url }, response) => {
        if (url === "/opened") response.write('{"a":1}\n');
      },
      async (url) => {
        const api = kubeApi({ url }, 50);
        const lines: string[] = [];
        for await (const line of await api.lines({ path: "/opened" })) lines.push(line);
        expect(lines).toEqual(['{"a":1}']);
        await expect(api.lines({ path: "/silent" })).rejects.toThrow("was silent for 0.05 s");
        await expect(api.send({ path: "/opened" })).rejects.toThrow();
      },
    ));
});

describe("the identity of a pod", () => {
  it("comes from its variables and the folder of its service account", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plat-pod-"));
    for (const [file, text] of [
      ["token", "t1\n"],
      ["ca.crt", "CA"],
      ["namespace", "plat-system"],
    ] as const)
      await writeFile(join(folder, file), text);
    const pod = await podIdentity({ KUBERNETES_SERVICE_HOST: "fd00::1" }, folder);
    expect(pod).toMatchObject({ url: "https://[fd00::1]:443", ca: "CA", namespace: "plat-system" });
    await writeFile(join(folder, "token"), "t2");
    expect(await pod.token?.()).toBe("t2");
    await expect(podIdentity({}, folder)).rejects.toThrow("KUBERNETES_SERVICE_HOST is not set");
  });
});
