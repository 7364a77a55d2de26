import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { TrailLine } from "../trail-line.ts";
import { trailObjectsOf } from "../trail-object.ts";

const compressed = promisify(gzip);

/** Returns what writes lines to a bucket, as compressed JSON lines, which Athena reads by the name's end. */
export function trailBucket(
  client: Pick<S3Client, "send">,
  Bucket: string,
): (lines: readonly TrailLine[]) => Promise<void> {
  return async (lines) => {
    for (const { hour, name, text } of trailObjectsOf(lines))
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key: `changes/${hour}/${name}.jsonl.gz`,
          Body: await compressed(text),
          ContentType: "application/gzip",
        }),
      );
  };
}
