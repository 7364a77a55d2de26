import { copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { billOfMaterials, licensesText, thirdParties } from "./third-party.ts";

/** The folder that `npm pack` and `npm publish` take. */
export const PUBLISHED = "dist/package";

/** What `dist` has for a clone alone: what `npm start` runs, the maps of the functions, the plugin of nodes, and the image. */
const OF_CLONES = new Set(["image", "maps", "package", "plugin", "start"]);

/**
 * The fields of the manifest that a package has. It has no scripts, because npm would run some of them where the package
 * is installed, and no dependencies, because its files contain them.
 */
const FIELDS = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "bin",
  "exports",
  "typesVersions",
  "engines",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
] as const satisfies readonly (keyof typeof manifest)[];

const KEYWORDS = ["ipam", "ip-address", "aws", "aws-cdk", "cni", "kubernetes", "calico", "cilium"];

/** Makes the folder of the package from what is in `dist`. The same sources give the same files. */
export async function writePublished(): Promise<void> {
  await rm(PUBLISHED, { recursive: true, force: true });
  await mkdir(join(PUBLISHED, "dist"), { recursive: true });
  for (const made of await readdir("dist"))
    if (!OF_CLONES.has(made))
      await cp(join("dist", made), join(PUBLISHED, "dist", made), { recursive: true });
  for (const file of ["CHANGELOG.md", "LICENSE"]) await copyFile(file, join(PUBLISHED, file));
  await copyFile("pack/README.md", join(PUBLISHED, "README.md"));
  const fields = FIELDS.map((field) => [field, manifest[field]]);
  await writeJson("package.json", {
    ...Object.fromEntries(fields),
    keywords: KEYWORDS,
    publishConfig: { access: "public", provenance: true },
  });
  const parties = await thirdParties();
  await writeJson("sbom.cdx.json", billOfMaterials(parties));
  await writeFile(join(PUBLISHED, "THIRD_PARTY_LICENSES"), licensesText(parties));
}

const writeJson = (file: string, value: object) =>
  writeFile(join(PUBLISHED, file), `${JSON.stringify(value, undefined, 2)}\n`);
