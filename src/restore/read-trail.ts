import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { utf8Text } from "../base/utf8.ts";
import { RestoreError } from "./restore-error.ts";
import { type ParsedTrailLine, parseLine } from "./trail-line.ts";

/** Lines of the audit trail that one restore replays. They are in memory together, at about a kilobyte each. */
const TRAIL_LINES_MAX = 1_000_000;

/**
 * Reads the files of an audit trail in a directory and below: those with the end `.jsonl`, or `.jsonl.gz` for compressed ones.
 *
 * @throws {RestoreError} if there is no such file, if a file or a line cannot be read or is not UTF-8, or if there are more lines than `TRAIL_LINES_MAX`
 */
export async function readTrail(directory: string): Promise<readonly ParsedTrailLine[]> {
  const names = await readdir(directory, { recursive: true }).catch((error: Error) => {
    throw new RestoreError(`${directory} cannot be read: ${error.message}`);
  });
  const files = names.filter((name) => /\.jsonl(\.gz)?$/.test(name)).sort();
  if (files.length === 0)
    throw new RestoreError(`${directory} has no file of an audit trail (*.jsonl, *.jsonl.gz)`);
  const lines: ParsedTrailLine[] = [];
  for (const file of files) {
    const texts = (await textIn(join(directory, file))).split("\n");
    for (const [n, text] of texts.entries())
      if (text !== "") lines.push(parseLine(text, `${file}, line ${n + 1},`));
    if (lines.length > TRAIL_LINES_MAX)
      throw new RestoreError(
        `${directory} has more than ${TRAIL_LINES_MAX} lines; leave out files from before the restore point`,
      );
  }
  return lines;
}

async function textIn(path: string): Promise<string> {
  const text = utf8Text(await bytesIn(path));
  if (text.ok) return text.value;
  throw new RestoreError(`${path}${text.problem.replace(/\.$/, "")}`);
}

/** Returns the bytes of a file, decompressed. A copy that was cut short cannot be decompressed. */
async function bytesIn(path: string): Promise<Uint8Array> {
  try {
    const bytes = await readFile(path);
    return path.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes;
  } catch (error) {
    throw new RestoreError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
