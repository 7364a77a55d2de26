import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApi } from "../../src/contract/openapi.ts";
import { cached, go } from "../built-once.ts";
import { run } from "../openapi/tools.ts";

/** The generator of clients in many languages, from Maven Central. */
const GENERATOR = "org.openapitools:openapi-generator-cli:7.16.0";
const [, NAME, VERSION] = GENERATOR.split(":");
const JAR = `${NAME}-${VERSION}.jar`;

/**
 * Generates clients in Go and in Java from the OpenAPI document with the default flags of openapi-generator, and compiles
 * both.
 *
 * @param folder an empty folder, in which the clients are made
 * @returns what was compiled, or why nothing was: a machine need not have Java and Maven
 */
export async function compileGenerated(folder: string): Promise<string> {
  const missing = await Promise.all(["java", "mvn"].map(isMissing));
  if (missing.includes(true)) return "not tried, because Java or Maven is not there";
  const jar = join(await installGenerator(), JAR);
  const document = join(folder, "openapi.json");
  await writeFile(document, JSON.stringify(openApi()));
  const generate = async (language: string, ...more: readonly string[]) => {
    const output = join(folder, language);
    const args = ["-jar", jar, "generate", "-g", language, "-i", document, "-o", output, ...more];
    await run("java", args);
    return output;
  };
  const inGo = await generate("go");
  await go(inGo, ["mod", "tidy"]);
  await go(inGo, ["build", "./..."]);
  // Its tests are empty, and there is one for each class.
  const inJava = await generate("java", "--global-property=apiTests=false,modelTests=false");
  await run("mvn", ["--quiet", "--batch-mode", "compile"], { cwd: inJava });
  return "Go and Java compiled";
}

const isMissing = (program: string): Promise<boolean> =>
  run(program, ["--version"]).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return true;
      throw error;
    },
  );

const installGenerator = (): Promise<string> =>
  cached("openapi-generator", GENERATOR, JAR, async (temporary) => {
    const where = [`-Dartifact=${GENERATOR}`, `-DoutputDirectory=${temporary}`];
    await run("mvn", ["--quiet", "--batch-mode", "dependency:copy", ...where]);
  });
