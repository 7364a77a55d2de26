import { gunzipSync } from "node:zlib";
import type { PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { trailBucket } from "../../../src/publish/aws/destinations.ts";
import type { TrailLine } from "../../../src/publish/trail-line.ts";

const line = (n: number, at: string): TrailLine => ({
  id: `id${n}`,
  at,
  sequence: `00${n}`,
  kind: "VERSION",
  called: "version of space default",
  item: "created",
  key: { pk: "VERSION#default", sk: "VERSION" },
  changes: [],
});
const LINES = [
  line(1, "2026-11-24T04:59:59.999Z"),
  line(2, "2026-11-24T05:00:00.000Z"),
  line(3, "2026-11-24T04:30:00.000Z"),
];

it("the lines of an hour are one object, under the hour and its first line", async () => {
  const objects: { readonly Key: string; readonly text: string }[] = [];
  const client = {
    send: async ({ input: { Bucket, Key = "", Body } }: PutObjectCommand) => {
      expect(Bucket).toBe("trail");
      objects.push({ Key, text: gunzipSync(Body as Buffer).toString() });
    },
  };
  await trailBucket(client as never, "trail")(LINES);
  expect(objects).toEqual([
    {
      Key: "changes/2026/11/24/04/001-id1.jsonl.gz",
      text: `${JSON.stringify(LINES[0])}\n${JSON.stringify(LINES[2])}\n`,
    },
    { Key: "changes/2026/11/24/05/002-id2.jsonl.gz", text: `${JSON.stringify(LINES[1])}\n` },
  ]);
});
