import "../src/local/environment.ts";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startWithStorage } from "../src/local/plat.ts";
import { openStorage } from "../src/local/storage.ts";

/**
 * `npm run house`: prints how far a reader must walk. For a warm assign, a release, a PUT of a pool and a reclaim, it counts the files and
 * the named functions of `src` and `functions` that run, by V8's precise coverage of the laptop's server. It also counts hand-written
 * lines, small and large files, and exports that one other file imports. `--files` lists the files of each request.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SMALL_LINES = 30;
const LARGE_LINES = 350;
const NEVER_SECONDS = 86_400;
/** Repeats before the request that counts, so that nothing is loaded or learnt in it. */
const WARM_UPS = 3;
const GENERATED = "src/client/generated/";
const HAND_WRITTEN = ["src", "functions", "cdk", "twin", "console", "bench", "test"];
const RUN = ["src", "functions"];

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const table = await openStorage({ table: "memory" });
const { publish: _, ...unpublished } = table;
const plat = await startWithStorage(unpublished, {
  port: 0,
  reclaimSeconds: NEVER_SECONDS,
  repairSeconds: NEVER_SECONDS,
  workSeconds: NEVER_SECONDS,
});

interface Reply {
  readonly addresses?: readonly { readonly address: string; readonly generation: string }[];
}

async function send(method: string, path: string, body: object): Promise<Reply> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${plat.url}${path}`, { method, headers, body: JSON.stringify(body) });
  const answer = (await reply.json()) as Reply;
  if (!reply.ok) throw new Error(`${method} ${path} answered ${JSON.stringify(answer)}`);
  return answer;
}

let named = 0;
const assign = () => send("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: `pod-${named++}` });
const release = ({ addresses = [] }: Reply) =>
  send("POST", "/v1/release", {
    addresses: addresses.map(({ address, generation }) => ({ address, generation })),
  });
const putPool = () =>
  send("PUT", `/v1/pools/pool-${named}`, { cidr: `10.${named++}.0.0/16`, blockSize: 26 });

await send("PUT", "/v1/config", { blockMinAgeSeconds: 10, cooldownSeconds: 0 });
await putPool();
const walks = {
  "warm assign": await walkOf(assign),
  "release by generation": await walkOf(release, assign),
  "PUT of a new pool": await walkOf(putPool),
  "reclaim, all shards": await walkOf(plat.scheduledRuns.reclaim),
};
await plat.stop();
session.disconnect();

console.table(
  Object.fromEntries(
    Object.entries(walks).map(([request, ran]) => [
      request,
      { files: ran.size, functions: [...ran.values()].reduce((sum, count) => sum + count, 0) },
    ]),
  ),
);
if (process.argv.includes("--files"))
  for (const [request, ran] of Object.entries(walks))
    console.log(`\n${request}:\n${[...ran.keys()].sort().join("\n")}`);

const files = new Map(
  execFileSync("git", ["ls-files", "-z", ...HAND_WRITTEN], { cwd: ROOT, encoding: "utf8" })
    .split("\0")
    .filter((file) => /\.(ts|tsx|mjs|css)$/.test(file) && !file.startsWith(GENERATED))
    .map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const),
);
const linesOf = (text: string) => text.split("\n").length - 1;
console.table(
  Object.fromEntries(
    HAND_WRITTEN.map((folder) => {
      const lines = [...files].flatMap(([file, text]) =>
        file.startsWith(`${folder}/`) ? [linesOf(text)] : [],
      );
      return [
        folder,
        {
          files: lines.length,
          lines: lines.reduce((sum, count) => sum + count, 0),
          middle: lines.toSorted((a, b) => a - b)[lines.length >> 1],
          [`below ${SMALL_LINES}`]: lines.filter((count) => count < SMALL_LINES).length,
          [`above ${LARGE_LINES}`]: lines.filter((count) => count > LARGE_LINES).length,
        },
      ];
    }),
  ),
);
const { exported, once } = uses();
console.log(
  `Of ${exported} exports of src, another file of it or of functions imports ${once} once.`,
);

/** Returns the files that run in a request, each with the number of its named functions. What `before` does does not count. */
async function walkOf<T>(
  act: (prepared: T) => Promise<unknown>,
  before: () => Promise<T> = async () => undefined as T,
): Promise<ReadonlyMap<string, number>> {
  for (let n = 0; n < WARM_UPS; n++) await act(await before());
  const prepared = await before();
  await session.post("Profiler.takePreciseCoverage");
  await act(prepared);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return new Map(
    result.flatMap(({ url, functions }) => {
      const file = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : "";
      const ran = functions.filter(hasRun);
      return RUN.some((folder) => file.startsWith(`${folder}/`)) && ran.length > 0
        ? [[file, ran.filter(({ functionName }) => functionName !== "").length] as const]
        : [];
    }),
  );
}

function hasRun({ ranges: [range] }: Profiler.FunctionCoverage): boolean {
  return (range?.count ?? 0) > 0;
}

/** Returns the number of the exports of `src`, and of those that exactly one other file imports. */
function uses(): { readonly exported: number; readonly once: number } {
  const importers = new Map<string, number>();
  const ours = [...files].filter(([file]) => RUN.some((folder) => file.startsWith(`${folder}/`)));
  for (const [file, text] of ours)
    for (const [, names = "", from = ""] of text.matchAll(
      /^(?:import|export) (?:type )?\{([^}]*)\} from "(\.[^"]*)"/gms,
    ))
      for (const name of names.split(",")) {
        const plain = name
          .trim()
          .replace(/^type /, "")
          .replace(/ as .*/s, "");
        const use = `${join(dirname(file), from)} ${plain}`;
        if (plain !== "") importers.set(use, (importers.get(use) ?? 0) + 1);
      }
  const exports = ours.flatMap(([file, text]) =>
    [
      ...text.matchAll(
        /^export (?:abstract |async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
      ),
    ].map(([, name]) => `${file} ${name}`),
  );
  return {
    exported: exports.length,
    once: exports.filter((use) => importers.get(use) === 1).length,
  };
}
