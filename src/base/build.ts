import manifest from "../../package.json" with { type: "json" };

/** Replaced by the bundlers. Sources that run as they are have no such name. */
declare const PLAT_COMMIT: string | undefined;

/** The program that runs: the version of the package, and the commit of which it was built. The sources themselves name no commit. */
export interface Build {
  readonly version: string;
  readonly commit?: string;
}

export const BUILD: Build = {
  version: manifest.version,
  ...(typeof PLAT_COMMIT === "string" && { commit: PLAT_COMMIT }),
};
