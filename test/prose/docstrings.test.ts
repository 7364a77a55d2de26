import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const CLAUSE =
  /^\s*\/\*\*(?: |\n\s*\* )(?:What|Who|Whose|Which|Where|Whether|When|How|Why|Whatever|Whoever)\b.*/gm;

it("no docstring begins with a clause: it says what a function does, or what a value is", () => {
  const found = ["src", "functions", "cdk", "twin", "console"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
      .flatMap((path) => readFileSync(`${folder}/${path}`, "utf8").match(CLAUSE) ?? []),
  );
  expect(found).toEqual([]);
});
