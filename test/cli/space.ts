import { expect } from "vitest";
import type { terminal } from "./terminal.ts";

/** Makes pools in the space of a test, by default one of 16 blocks of 16 addresses. */
export const spaceWithPool =
  ({ call }: Pick<ReturnType<typeof terminal>, "call">) =>
  async (name = "main", fields: object = { cidr: "10.0.0.0/24", blockSize: 28 }): Promise<void> => {
    const { status } = await call("PUT", `/v1/pools/${name}`, fields);
    expect(status).toBe(201);
  };
