import "./silent.ts";
import { afterEach, expect, it, vi } from "vitest";
import { openStorage } from "../../src/local/storage.ts";
import { UsageError } from "../../src/local/usage-error.ts";
import { scratchDirectory } from "../store/scratch-file.ts";

const newDirectory = scratchDirectory();

afterEach(() => {
  vi.doUnmock("lmdb");
});

it("without lmdb data cannot be kept, which is said with what to do, and all else serves", async () => {
  vi.doMock("lmdb", () => {
    throw new Error("No native build was found");
  });
  const data = await newDirectory();
  const refused = await openStorage({ table: "file", data }).catch((error) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect(refused.message).toBe(
    `Keeping data needs lmdb, an optional dependency that is not installed for ${process.platform}-${process.arch}; run npm ci without --omit=optional, or start with --memory.`,
  );
  const { sentence, stop } = await openStorage({ table: "memory" });
  expect(sentence).toBe("Data is kept in memory only and is gone when this stops");
  await stop();
});
