import { expect, it } from "vitest";
import { terminal } from "../terminal.ts";
import { proveTakeover } from "./proof.ts";

const { platWith, server } = terminal();

it("a cluster is taken over as it is, and given back as it came", async () => {
  const size = { nodes: 50, addresses: 2_000 };
  const { failures } = await proveTakeover(size, server().context, (stdin, ...args) =>
    platWith({ stdin }, ...args),
  );
  expect(failures).toEqual([]);
}, 300_000);
