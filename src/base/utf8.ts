import { type Parsed, parsed, unreadable } from "../net/address.ts";

const FATAL = new TextDecoder("utf-8", { fatal: true });
const REPLACING = new TextDecoder();
const LINE_END = 0x0a;
const LINE_CHARACTERS_SHOWN_MAX = 80;

/**
 * Decodes the bytes of a file as UTF-8. It leaves out a byte order mark at their start, which editors on Windows write. Other bytes are a
 * problem that names the line and shows it: a replacement character would make one name of two.
 *
 * @param linesBefore the lines that were read before these bytes
 */
export function utf8Text(bytes: Uint8Array, linesBefore = 0): Parsed<string> {
  const text = decoded(bytes);
  if (text !== undefined) return parsed(text);
  // No byte of a character of UTF-8 is that of a line end, so each line can be judged on its own.
  for (let line = 1, from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(LINE_END, from);
    const of = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (decoded(of) === undefined) {
      const shown = REPLACING.decode(of).slice(0, LINE_CHARACTERS_SHOWN_MAX);
      return unreadable(
        `, line ${linesBefore + line}, is not UTF-8: ${JSON.stringify(shown)}. Save it as UTF-8.`,
      );
    }
    from += of.length + 1;
  }
  throw new Error("every line is UTF-8 and the whole is not");
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return FATAL.decode(bytes);
  } catch {
    return undefined;
  }
}
