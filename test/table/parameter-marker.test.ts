import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listen } from "../../src/local/http-server.ts";
import { markerOfEnvironment, ownMarkerOfEnvironment } from "../../src/table/parameter-marker.ts";

let server: Server;
let asked: unknown[];
let authorization: string | undefined;
let answer: { status: number; body: object };

beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: {} };
  server = createServer(async (request, response) => {
    authorization = request.headers.authorization;
    asked.push([request.headers["x-amz-target"], await json(request)]);
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  vi.stubEnv("AWS_ENDPOINT_URL_SSM", `http://127.0.0.1:${await listen(server, 0)}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("MARKER_PARAMETER", "plat-marker");
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

const marker = () => markerOfEnvironment() ?? expect.fail();

it("reads the time in its parameter; there is none before the first mark", async () => {
  answer.body = { Parameter: { Value: "1700000000000" } };
  expect(await marker().read()).toBe(1_700_000_000_000);
  answer.body = { Parameter: { Value: "0" } };
  expect(await marker().read()).toBeUndefined();
  expect(asked[0]).toEqual(["AmazonSSM.GetParameter", { Name: "plat-marker" }]);
});

it("writes the time over the one before", async () => {
  await marker().write(5);
  expect(asked).toEqual([
    ["AmazonSSM.PutParameter", { Name: "plat-marker", Value: "5", Overwrite: true }],
  ]);
});

it("fails if the parameter has no time, or is out of reach", async () => {
  answer.body = { Parameter: { Value: "soon" } };
  await expect(marker().read()).rejects.toThrow("the marker is no time in milliseconds");
  answer = { status: 400, body: {} };
  await expect(marker().read()).rejects.toThrow("Systems Manager answered GetParameter with 400");
});

it("asks once more if a call fails, as the first one of a cold function can", async () => {
  answer.body = { Parameter: { Value: "1700000000000" } };
  server.once("request", (_, response) => response.destroy());
  expect(await marker().read()).toBe(1_700_000_000_000);
});

it("asks another Region for the marker of the environment, and its own for the one to write", async () => {
  const { AWS_ENDPOINT_URL_SSM = "" } = process.env;
  // As an endpoint of AWS, this one has the name of its Region in it.
  vi.stubEnv("AWS_ENDPOINT_URL_SSM", AWS_ENDPOINT_URL_SSM.replace("127.0.0.1", "eu-west-1"));
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("MARKER_REGION", "127.0.0.1");
  answer.body = { Parameter: { Value: "5" } };
  expect(await marker().read()).toBe(5);
  expect(authorization).toContain("/127.0.0.1/ssm/");
  expect(marker().name).toBe("plat-marker in 127.0.0.1");

  vi.stubEnv("AWS_ENDPOINT_URL_SSM", AWS_ENDPOINT_URL_SSM);
  vi.stubEnv("OWN_MARKER_PARAMETER", "plat-own-marker");
  await ownMarkerOfEnvironment()?.write(6);
  expect(authorization).toContain("/eu-west-1/ssm/");
  expect(asked).toEqual([
    ["AmazonSSM.GetParameter", { Name: "plat-marker" }],
    ["AmazonSSM.PutParameter", { Name: "plat-own-marker", Value: "6", Overwrite: true }],
  ]);
});

it("is one where the environment has one Region", () => {
  expect(ownMarkerOfEnvironment()?.name).toBe("plat-marker");
});

it("is absent where no variable names it", () => {
  vi.stubEnv("MARKER_PARAMETER", "");
  expect(markerOfEnvironment()).toBeUndefined();
});
