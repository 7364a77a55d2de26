import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import manifest from "../package.json" with { type: "json" };

/* The packages of others that are in the files of the package, with their licenses. */

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The entries of everything that the package has as a bundle. */
const ENTRIES = [
  "src/cli/main.ts",
  "src/local/publishing-thread.ts",
  "src/cni/main.ts",
  "src/client/index.ts",
  "src/constructs/handler/main.ts",
  "cdk/index.ts",
  "console/src/main.tsx",
  ...readdirSync(join(ROOT, "functions")).map((file) => `functions/${file}`),
];

/** A package of which a part is in a bundle. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** The expression of SPDX. */
  readonly license: string;
  /** The texts of its license and its notices. */
  readonly texts: readonly string[];
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)\b/i;
/** The package of a file, with those of the packages around it: the last folder of packages in its path. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Returns the packages that are in the bundles, in the order of their names. One that only lends its types, or of which
 * nothing is left, is none of them.
 *
 * @throws {Error} if a package names no license
 */
export async function thirdParties(): Promise<readonly ThirdParty[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    outdir: "dist/none",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "error",
    // A picture of the console is a file beside its page.
    external: ["lmdb", "../../twin/*", "aws-cdk-lib", "constructs", "esbuild", "/favicon.svg"],
  });
  const folders = new Set(
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([file]) => PACKAGE.exec(file) ?? []),
  );
  const found = [...folders].map(read);
  // Two copies of one version are one package.
  const unique = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function read(folder: string): ThirdParty {
  const path = join(ROOT, folder);
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(path, "package.json"), "utf8"),
  );
  if (typeof license !== "string")
    throw new Error(`${name} ${version} names no license; look at ${folder}.`);
  const files = readdirSync(path).filter((file) => LICENSE_FILE.test(file));
  const texts = files.sort().map((file) => readFileSync(join(path, file), "utf8").trim());
  const by = typeof author === "string" ? author : author?.name;
  return { name, version, license, texts: texts.length > 0 ? texts : [missingText(license, by)] };
}

/** Returns the words in place of a text that a package of this license does not bring. */
const missingText = (license: string, author = "its contributors"): string =>
  `The package brings no text of its license, which is ${license}. It is by ${author}.${
    license === manifest.license ? " The file LICENSE has that text." : ""
  }`;

/** Returns the text of the file with the licenses of others: each text once, with the packages that it is of. */
export function licensesText(parties: readonly ThirdParty[]): string {
  const packages = new Map<string, string[]>();
  for (const { name, version, license, texts } of parties) {
    const text = texts.join("\n\n");
    packages.set(text, [...(packages.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const head = `The files of ${manifest.name} ${manifest.version} contain parts of these packages, under their licenses.`;
  const parts = [...packages].map(([text, names]) => [...names, "", text].join("\n"));
  return `${[head, ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Returns the bill of materials, in CycloneDX 1.6. It has no time and no number, so that it is always the same. */
export function billOfMaterials(parties: readonly ThirdParty[]): object {
  const component = (type: string, { name, version, license }: Omit<ThirdParty, "texts">) => {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const licenses = /^[\w.+-]+$/.test(license)
      ? [{ license: { id: license } }]
      : [{ expression: license }];
    return { type, "bom-ref": purl, name, version, purl, licenses };
  };
  const own = component("application", manifest);
  const components = parties.map((one) => component("library", one));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [
      { ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) },
      ...components.map((one) => ({ ref: one["bom-ref"], dependsOn: [] })),
    ],
  };
}
