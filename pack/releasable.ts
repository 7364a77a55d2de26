import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import manifest from "../package.json" with { type: "json" };

/**
 * Returns why a tag must not be released; nothing if it may be.
 *
 * @param tag such as `v0.1.0`
 * @param changelog the text of the changelog
 */
export function whyNotReleasable(
  tag: string,
  version: string,
  changelog: string,
): string | undefined {
  if (tag !== `v${version}`)
    return `The tag is ${tag}, and package.json has version ${version}; tag v${version}, or change the version.`;
  const [, date] =
    new RegExp(`^## ${version.replaceAll(".", "\\.")} \\((.+)\\)$`, "m").exec(changelog) ?? [];
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date))
    return `CHANGELOG.md has ${date === undefined ? "no heading" : `"${date}"`} for ${version}; it must be "## ${version} (YYYY-MM-DD)", with the day of the release.`;
  return undefined;
}

// `node --import tsx pack/releasable.ts v0.1.0`: fails with the reason.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const why = whyNotReleasable(
    process.argv[2] ?? "",
    manifest.version,
    readFileSync("CHANGELOG.md", "utf8"),
  );
  if (why !== undefined) {
    console.error(why);
    process.exitCode = 1;
  }
}
