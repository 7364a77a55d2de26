import * as v from "valibot";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../base/limits.ts";
import type { Parsed } from "../../net/address.ts";
import { formatCidr } from "../../net/cidr.ts";
import { parsePlainAddress, parsePlainCidr } from "../../net/plain-form.ts";
import { isPattern, parsePattern } from "../../nouns/pool/pattern.ts";

export const SPACE_CHARACTERS_MAX = 63;
export const NAMESPACE_CHARACTERS_MAX = 63;
const KIND_CHARACTERS_MAX = 63;
/** Linux has 15, and other systems more. */
export const INTERFACE_CHARACTERS_MAX = 63;

/** Building blocks of field schemas. Messages continue the field's name. */

const LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";

export const text = v.string("must be a string");

/** A text for people. It rejects a lone surrogate, which is not a character and which no database stores. */
export const proseText = v.pipe(text, v.regex(/^\P{Cs}*$/u, "must be Unicode text"));

export const flag = v.boolean("must be true or false");

export const whole = (min: number, max: number) => wholeNumber(min, max, "");

/** More addresses than one block of the largest size has. The allocator knows what the pools can serve. */
export const ADDRESSES_PER_REQUEST_MAX = 4_096;

/** A number of addresses that a request asks for. */
export const addressCount = whole(0, ADDRESSES_PER_REQUEST_MAX);

/** A cap; `null` means that there is none. */
export const wholeOrNone = (min: number, max: number) =>
  v.nullable(wholeNumber(min, max, ", or null for no cap"));

/** A duration; 0 turns off what it is for. */
export const wholeOrZero = (min: number, max: number) =>
  v.union([v.literal(0), whole(min, max)], `must be 0, or a whole number from ${min} to ${max}`);

function wholeNumber(min: number, max: number, or: string) {
  const message = `must be a whole number from ${min} to ${max}${or}`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** Parses a whole number in a query. */
export function wholeText(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    text,
    v.regex(/^\d{1,9}$/, message),
    v.metadata({
      type: "integer",
      minLength: undefined,
      maxLength: undefined,
      pattern: undefined,
      minimum: min,
      maximum: max,
    }),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** `true` or `false` as a query writes it. */
export const flagText = v.pipe(
  v.picklist(["true", "false"], "must be true or false"),
  v.metadata({ type: "boolean", enum: undefined }),
  v.transform((text) => text === "true"),
);

export const affinityType = v.picklist(["host", "virtual"], 'must be "host" or "virtual"');

/** The form of a name of a pool or a reservation. */
export const RESOURCE_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

/** A name of a pool or a reservation, as in Kubernetes. */
export const resourceName = v.pipe(
  text,
  v.maxLength(NAME_CHARACTERS_MAX, `must have at most ${NAME_CHARACTERS_MAX} characters`),
  v.regex(RESOURCE_NAME, "must be a DNS name in lower case, such as default-ipv4 (RFC 1123)"),
);

const dnsLabel = (charactersMax: number, example: string) =>
  v.pipe(
    text,
    v.maxLength(charactersMax, `must have at most ${charactersMax} characters`),
    v.regex(
      new RegExp(`^${LABEL}$`),
      `must be a DNS label in lower case, such as ${example} (RFC 1123)`,
    ),
  );

export const spaceName = dnsLabel(SPACE_CHARACTERS_MAX, "tenant-7");

/** A name of a namespace, as in Kubernetes. */
export const namespaceName = dnsLabel(NAMESPACE_CHARACTERS_MAX, "shop");

/** A kind of workloads, such as `Deployment`. */
export const kindName = v.pipe(
  text,
  v.regex(
    new RegExp(`^[A-Za-z][A-Za-z0-9]{0,${KIND_CHARACTERS_MAX - 1}}$`),
    `must be a kind such as Deployment: 1 to ${KIND_CHARACTERS_MAX} letters and digits`,
  ),
);

/** A name of a network, as Multus writes it: with or without its namespace. */
export const networkName = v.pipe(
  text,
  v.maxLength(
    NAMESPACE_CHARACTERS_MAX + 1 + NAME_CHARACTERS_MAX,
    `must have at most ${NAMESPACE_CHARACTERS_MAX + 1 + NAME_CHARACTERS_MAX} characters`,
  ),
  v.regex(
    new RegExp(`^(${LABEL}/)?${LABEL}(\\.${LABEL})*$`),
    "must be a DNS name in lower case, with or without a namespace, such as kube-system/macvlan-100",
  ),
);

/** A network interface of a workload, such as `eth0`. */
export const interfaceName = v.pipe(
  text,
  v.regex(
    new RegExp(`^[A-Za-z0-9][\\w.-]{0,${INTERFACE_CHARACTERS_MAX - 1}}$`),
    `must be the name of an interface such as eth0, of at most ${INTERFACE_CHARACTERS_MAX} characters`,
  ),
);

/**
 * Characters that a path cannot contain, encoded or not. API Gateway decodes a path twice and ends it at a decoded `?`;
 * URLs end it at a `#`.
 * So `/v1/handles/web%3F1` would name the handle `web`.
 */
export const LOST_IN_PATH = /[?%#]/;
export const LOST_IN_PATH_WORDS =
  "must not contain ?, % or #, because no path can contain them; POST …/release, with the name in its body, releases what such a name holds";

/**
 * A segment that a URL parser removes, with what comes before it, also beside a backslash, which it reads as a slash
 * (https://url.spec.whatwg.org/#path-state). So `/v1/handles/team/../web` would name the handle `web`.
 */
const DOT_SEGMENT = /(^|[/\\])\.{1,2}([/\\]|$)/;

/** Characters that let a name look like another one (https://www.unicode.org/reports/tr9/#Bidirectional_Character_Types). */
const DIRECTION = /\p{Bidi_C}/u;

/** Returns the reason why no name that a path can contain may newly have this text; nothing if it may. */
export function newNameProblem(name: string): string | undefined {
  if (LOST_IN_PATH.test(name)) return LOST_IN_PATH_WORDS;
  if (DOT_SEGMENT.test(name))
    return "must have no part . or .. between slashes or backslashes, because URL parsers resolve them";
  return DIRECTION.test(name)
    ? "must have no characters that change the direction of text, such as U+202E"
    : undefined;
}

/** Makes a pattern that also excludes these characters. A name with one of them gets a message of its own. */
const withoutLost = (pattern: RegExp, message: string) =>
  v.regex(pattern, ({ input }) => (LOST_IN_PATH.test(input) ? LOST_IN_PATH_WORDS : message));

/** Makes the pattern of a new name from the one of its characters. */
const ofNewName = (characters: string, message: string, flags = "") =>
  v.regex(
    new RegExp(
      `^(?!(.*[/\\\\])?\\.{1,2}([/\\\\]|$))[${characters}]{1,${NAME_CHARACTERS_MAX}}$`,
      flags,
    ),
    ({ input }) => newNameProblem(input) ?? message,
  );

const HOST_MESSAGE = `must be 1 to ${NAME_CHARACTERS_MAX} printable ASCII characters without spaces`;

/** A host that may have its name from before paths were minded. */
export const hostText = v.pipe(
  text,
  v.regex(new RegExp(`^[\\x21-\\x7e]{1,${NAME_CHARACTERS_MAX}}$`), HOST_MESSAGE),
);

/** A host that is given its name: not one that a path would take for another's. */
export const newHost = v.pipe(
  text,
  ofNewName("\\x21\\x22\\x24\\x26-\\x3e\\x40-\\x7e", HOST_MESSAGE),
);

const NODE_CHARACTERS = "\\x21\\x22\\x24\\x26-\\x2e\\x30-\\x3e\\x40-\\x7e";
const NODE_MESSAGE = `${HOST_MESSAGE} and slashes`;

/** A host that a path names: an encoded slash may be one of the path by the time that it is routed. */
export const nodeName = v.pipe(
  text,
  withoutLost(new RegExp(`^[${NODE_CHARACTERS}]{1,${NAME_CHARACTERS_MAX}}$`), NODE_MESSAGE),
);

/** A host that is given its name, and that a path can name. */
export const newNode = v.pipe(text, ofNewName(NODE_CHARACTERS, NODE_MESSAGE));

const HANDLE_MESSAGE = `must be 1 to ${NAME_CHARACTERS_MAX} printable characters`;

/**
 * A handle, which may have a name from before names were checked for paths. A lone surrogate is not a character: the
 * database would not return it unchanged.
 */
export const handleText = v.pipe(
  text,
  v.regex(
    new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,${NAME_CHARACTERS_MAX}}$`, "u"),
    HANDLE_MESSAGE,
  ),
);

/** A handle that a path names. */
export const handleInPath = v.pipe(
  text,
  withoutLost(
    new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}?%#]{1,${NAME_CHARACTERS_MAX}}$`, "u"),
    HANDLE_MESSAGE,
  ),
);

/** A handle that is given its name. */
export const newHandle = v.pipe(
  text,
  ofNewName("^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_C}?%#", HANDLE_MESSAGE, "u"),
);

/** The id of a job, from the answer that started it. */
export const jobId = v.pipe(
  text,
  v.regex(/^[\w-]{1,64}$/, "is not the id of a job, such as delete-AZ3qXw8"),
);

/**
 * A key: quoted as in the IETF's draft of the header (a String of RFC 9651, 3.3.3, with `\"` and `\\` as the only
 * escapes), or bare. Both forms are the same key. A bare one has no comma, with which a gateway joins the values of two headers.
 */
export const idempotencyKey = v.pipe(
  text,
  v.regex(
    /^("([\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|[\x20\x21\x23-\x2b\x2d-\x7e][\x20-\x2b\x2d-\x7e]*)$/,
    'must be one key of printable ASCII characters, in quotes or not: in quotes \\" and \\\\ stand for a quote and a backslash; without them no quote comes first, and no comma is in it',
  ),
  v.transform((header) =>
    header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(.)/g, "$1") : header,
  ),
  v.check(
    (key) => key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX,
    `must have 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} characters`,
  ),
);

/** `*`, or a list of ETags, each of them strong or weak (RFC 9110, 8.8.3 and 5.6.1); other elements may be empty. */
export const etags = v.pipe(
  text,
  v.regex(
    /^(\*|[\t ,]*(W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(,[\t ]*((W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*)?)*)$/,
    'must be * or ETags in their quotes, such as "AZ3qXw8", "AZ3qXw9"',
  ),
);

/** A text that the domain parses, and its description in JSON Schema. */
export function readable<T>(
  parse: (text: string) => Parsed<T>,
  said: {
    readonly description: string;
    readonly examples: readonly string[];
    readonly maxLength?: number;
  },
) {
  return v.pipe(
    text,
    v.metadata(said),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const result = parse(dataset.value);
      if (result.ok) return result.value;
      addIssue({ message: result.problem });
      return NEVER;
    }),
  );
}

export const address = readable(parsePlainAddress, {
  description: "An IPv4 or IPv6 address. An IPv4-mapped IPv6 address stands for its IPv4 address",
  examples: ["10.0.0.7", "2001:db8::7"],
});

export const cidr = readable(parsePlainCidr, {
  description: "A network, with no bits set below its prefix",
  examples: ["10.0.0.0/16", "2001:db8::/48"],
});

/** A pool by its name or its CIDR; the latter in the one text that a network has. */
export const poolReference = v.pipe(
  text,
  v.metadata({ description: "The name of a pool or its CIDR", examples: ["default-ipv4"] }),
  poolText(() => undefined),
);

/** Pools as a list of a request means them: by name, by CIDR, or by a pattern over names. */
export const poolsMeant = v.pipe(
  text,
  v.metadata({
    description:
      "The name of a pool, a CIDR, or a pattern over names with `*`, `?` and classes such as `[a-c]`",
    examples: ["default-ipv4", "10.0.0.0/16", "web-*"],
  }),
  poolText((pattern) => (isPattern(pattern) ? parsePattern(pattern) : undefined)),
);

/** @param read returns the result of parsing a text that is neither a name nor a CIDR; nothing for any other */
function poolText(read: (text: string) => Parsed<unknown> | undefined) {
  return v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const { value } = dataset;
    if (value.includes("/")) {
      const network = parsePlainCidr(value);
      if (network.ok) return formatCidr(network.value);
      addIssue({ message: network.problem });
      return NEVER;
    }
    const other = read(value);
    if (other?.ok) return value;
    const name = v.safeParse(resourceName, value, { abortPipeEarly: true });
    if (name.success) return name.output;
    addIssue({ message: other?.problem ?? `${name.issues[0].message}, or the CIDR of a pool` });
    return NEVER;
  });
}

/** Makes the action that parses a text in JSON. */
export function json(message: string) {
  return v.rawTransform<string, unknown>(({ dataset, addIssue, NEVER }) => {
    try {
      return parseJson(dataset.value);
    } catch (error) {
      const isRepeated = error instanceof RepeatedFieldError;
      addIssue({ message: isRepeated ? `is ambiguous: ${error.message}` : message });
      return NEVER;
    }
  });
}

export function unique<T>(message: string) {
  return v.check<T[], string>((items) => new Set(items).size === items.length, message);
}
