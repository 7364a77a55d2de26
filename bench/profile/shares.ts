import { SourceMap, type SourceMapPayload } from "node:module";

/** A profile as V8 writes it (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** The line, counted from zero. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

/** The owner of a function by the place of its source; the first match applies. */
const OWNERS = [
  ["the SDK: clients, marshalling, signature", /node_modules\/(@aws-sdk|@smithy|@aws-crypto)\//],
  [
    "ours: items and expressions",
    /(^|\/)src\/(table|store|kernel\/items|nouns\/\w+\/([\w-]+-)?item\.ts)/,
  ],
  [
    "ours: choices and values",
    /(^|\/)src\/(base|net|kernel\/values|selection|invariants|nouns\/\w+\/[\w-]+\.ts)/,
  ],
  ["ours: walks", /(^|\/)src\/(kernel|maintenance|nouns\/\w+\/operations)\//],
  [
    "ours: words in and out, log and metrics, with valibot",
    /(^|\/)(src\/(api|contract|netbox|authorize|nouns)|functions|node_modules\/valibot)\//,
  ],
  ["ours: wiring", /(^|\/)(src|cdk)\//],
  ["the stand-in for Lambda's runtime", /bootstrap\.mjs$/],
  ["this measurement", /recorder\.mjs$/],
] as const;
const ENGINE: ReadonlyMap<string, string> = new Map([
  ["(garbage collector)", "V8: collection of garbage"],
  ["(program)", "V8 and Node.js: native code"],
]);
const EVENTS = "Node.js: network and events";

/**
 * Returns the share of each owner in the samples with activity. Work of Node.js for a caller counts as the caller's.
 * Its other work, such as for an arriving answer, has a line of its own.
 *
 * @param bundle the end of the URL of the bundle to which the map belongs
 */
export function sharesOf(
  { nodes, samples }: Profile,
  bundle: string,
  payload: SourceMapPayload,
): ReadonlyMap<string, number> {
  const map = new SourceMap(payload);
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const owners = new Map<number, string | undefined>();
  const ownerOf = (id: number | undefined): string | undefined => {
    const node = id === undefined ? undefined : byId.get(id);
    if (!node) return undefined;
    if (!owners.has(node.id))
      owners.set(node.id, ownOwner(node, bundle, map) ?? ownerOf(parents.get(node.id)));
    return owners.get(node.id);
  };
  const counts = new Map<string, number>();
  let busy = 0;
  for (const id of samples) {
    const name = byId.get(id)?.callFrame.functionName ?? "";
    if (name === "(idle)") continue;
    busy++;
    const owner = ENGINE.get(name) ?? ownerOf(id) ?? EVENTS;
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return new Map([...counts].map(([owner, count]) => [owner, count / busy]));
}

/** Returns the owner of the code itself; nothing for code of Node.js. */
function ownOwner({ callFrame }: ProfileNode, bundle: string, map: SourceMap): string | undefined {
  const { url, lineNumber, columnNumber } = callFrame;
  const source = url.endsWith(bundle) ? sourceAt(map, lineNumber, columnNumber) : url;
  return OWNERS.find(([, pattern]) => pattern.test(source))?.[0];
}

function sourceAt(map: SourceMap, line: number, column: number): string {
  const entry = map.findEntry(line, column);
  return "originalSource" in entry ? entry.originalSource.replace(/^(\.\.\/)+/, "") : "";
}
