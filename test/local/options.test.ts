import { describe, expect, it } from "vitest";
import { readOptions } from "../../src/local/options.ts";
import { openStorage } from "../../src/local/storage.ts";
import { UsageError } from "../../src/local/usage-error.ts";

describe("the command line", () => {
  it("may be empty", () => {
    expect(readOptions([], {})).toEqual({
      port: 8787,
      data: undefined,
      endpoint: undefined,
      reclaimSeconds: 60,
      collectSeconds: 60,
      workSeconds: 60,
    });
  });

  it("may ask for help", () => {
    expect(readOptions(["--help"], {})).toBeUndefined();
  });

  it.each([
    [["--port", "x"], '--port is "x"; it must be a whole number from 0 to 65535.'],
    [["--port", "65536"], '--port is "65536"; it must be a whole number from 0 to 65535.'],
    [["--port=-1"], '--port is "-1"; it must be a whole number from 0 to 65535.'],
    [["--reclaim-seconds", "0"], '--reclaim-seconds is "0"; it must be a whole number from 1 to'],
    [["--data", ""], "--data must name a directory."],
    [["--prot", "1"], "Unknown option '--prot'; --help shows the options."],
    [["serve"], "Unexpected argument 'serve'"],
  ])("%j is refused in a sentence", (args, sentence) => {
    const read = () => readOptions(args, {});
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });

  it("must not ask for data in a directory and elsewhere at once", async () => {
    const storage = openStorage({ data: "somewhere", endpoint: "http://127.0.0.1:8000" });
    await expect(storage).rejects.toThrow("--data and DYNAMODB_ENDPOINT exclude each other");
  });

  it("must not name an endpoint that is no URL", () => {
    const read = () => readOptions([], { DYNAMODB_ENDPOINT: "localhost:8000" });
    expect(read).toThrow('DYNAMODB_ENDPOINT is "localhost:8000"; it must be a URL');
  });
});
