import { expect, it } from "vitest";
import { terminal } from "../terminal.ts";
import { proveImport } from "./proof.ts";

const { platWith, server } = terminal();

it("a cluster is imported as it is, and exported as it came", async () => {
  const size = { nodes: 50, addresses: 2_000 };
  const { failures } = await proveImport(size, server().context, (stdin, ...args) =>
    platWith({ stdin }, ...args),
  );
  expect(failures).toEqual([]);
});
