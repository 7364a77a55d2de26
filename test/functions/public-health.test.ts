import { afterEach, expect, it, vi } from "vitest";
import { call } from "./plat.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each(["jwt", "token"])(
  "/healthz asks for no role where callers have tokens (%s): an environment can open it",
  async (access) => {
    vi.stubEnv("ACCESS", access);
    expect(await call("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect((await call("HEAD", "/healthz")).status).toBe(200);
  },
);
