import { createRequire } from "node:module";
import {
  TextlintKernel,
  type TextlintMessage,
  type TextlintPluginCreator,
  type TextlintRuleModule,
} from "@textlint/kernel";
import terminology from "textlint-rule-terminology";
import { sentences } from "./sentences.ts";
import { RETIRED } from "./vocabulary.ts";

const require = createRequire(import.meta.url);
const {
  default: markdown,
}: { default: TextlintPluginCreator } = require("@textlint/textlint-plugin-markdown");
const { default: writeGood }: { default: TextlintRuleModule } = require("textlint-rule-write-good");

const rules = [
  { ruleId: "sentences", rule: sentences },
  {
    ruleId: "vocabulary",
    rule: terminology,
    options: {
      defaultTerms: false,
      terms: RETIRED.map(([pattern, word]) => [pattern.replaceAll(" ", "\\s+"), word]),
    },
  },
  {
    ruleId: "write-good",
    rule: writeGood,
    // "It is", "only", "so" and the passive have their place in a page about what is and what must hold.
    options: {
      passive: false,
      adverb: false,
      tooWordy: false,
      weasel: true,
      whitelist: ["as many", "how many", "so many", "that many"],
      so: false,
      thereIs: true,
    },
  },
];

const kernel = new TextlintKernel();

/** Checks a page of Markdown against `docs/style.md`; offline. A part that a program writes is left out. */
export async function checkProse(page: string): Promise<readonly TextlintMessage[]> {
  const { messages } = await kernel.lintText(withoutGenerated(page), {
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown }],
    rules,
  });
  return messages;
}

/** Keeps the line breaks, so that what is found below has its line. */
function withoutGenerated(page: string): string {
  return page.replace(/<!-- (\w+) -->.*<!-- \/\1 -->/s, (part) => part.replace(/[^\n]/g, ""));
}
