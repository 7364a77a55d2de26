import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { call, emulatorOf, start } from "./process.ts";

const isGone = (pid: number) =>
  eventually(async () => {
    const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone");
    expect(state).toMatch(/gone|\) Z /);
  });

it("kill -9 of the server leaves no embedded DynamoDB behind", async () => {
  const plat = await start(["--port", "0", "--dynamodb"]);
  const emulator = await emulatorOf(plat.process.pid as number);
  plat.process.kill("SIGKILL");
  await plat.ended;
  await isGone(emulator);
});

it("when the embedded DynamoDB dies, what was in its memory is lost, and the server says so and ends", async () => {
  const plat = await start(["--port", "0", "--dynamodb"]);
  process.kill(await emulatorOf(plat.process.pid as number), "SIGKILL");
  const { code, errors } = await plat.ended;
  expect(code).toBe(1);
  expect(errors).toContain("The embedded DynamoDB has ended, and its data is unavailable");
});

it("when the embedded DynamoDB dies, it is started again over the data on disk", async () => {
  const data = await mkdtemp(join(tmpdir(), "plat-"));
  const plat = await start(["--port", "0", "--dynamodb", "--data", data]);
  await call(plat.url, "PUT", "/v1/pools/main", { cidr: "10.0.0.0/24" });
  process.kill(await emulatorOf(plat.process.pid as number), "SIGKILL");
  await eventually(async () =>
    expect((await call(plat.url, "GET", "/v1/pools/main")).status).toBe(200),
  );
  plat.process.kill("SIGTERM");
  const { code, lines, errors } = await plat.ended;
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: "Plat has stopped." });
  expect(errors).toContain("is started again");
  await rm(data, { recursive: true });
});
