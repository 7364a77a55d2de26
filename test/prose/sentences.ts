import type { TextlintRuleReporter } from "@textlint/kernel";
import { split } from "sentence-splitter";

/** The longest sentence that `docs/style.md` allows. */
const WORDS_MAX = 25;

const SHOWN_WORDS = 6;

/** A clause as the subject hides who acts: "What is empty is deleted" for "The reclaimer deletes empty blocks". */
const CLAUSE_AS_SUBJECT = /^(what|whatever|whoever|who|whichever|whose)\b[^?]*$/i;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

/** Checks the length of each sentence, in a table too; in a paragraph or a list also how it begins. */
export const sentences: TextlintRuleReporter = ({ report, RuleError }) => {
  type Reported = Parameters<typeof report>[0];
  const check = (node: Reported, problemOf: (sentence: string) => string | undefined) => {
    for (const sentence of sentencesOf(node as unknown as Node)) {
      const problem = problemOf(sentence);
      if (problem) report(node, new RuleError(`${startOf(sentence)}: ${problem}`));
    }
  };
  return {
    Paragraph(node: Reported) {
      check(node, tooLong);
      check(node, hiddenSubject);
    },
    TableCell: (node: Reported) => check(node, tooLong),
  };
};

function tooLong(sentence: string): string | undefined {
  const { length } = wordsOf(sentence);
  return length > WORDS_MAX ? `${length} words; the most is ${WORDS_MAX}` : undefined;
}

const hiddenSubject = (sentence: string) =>
  CLAUSE_AS_SUBJECT.test(sentence) ? "begins with a clause; name who acts" : undefined;

const startOf = (sentence: string) => `"${wordsOf(sentence).slice(0, SHOWN_WORDS).join(" ")} …"`;

function sentencesOf(node: Node): readonly string[] {
  const parts = split(textOf(node)) as readonly { readonly type: string; readonly raw: string }[];
  return parts.filter(({ type }) => type === "Sentence").map(({ raw }) => raw.trim());
}

/** Code counts as one word, whatever it holds; a picture and markup as none. */
function textOf({ type, value, children }: Node): string {
  if (type === "Code") return "code";
  if (type === "Html" || type === "Image") return "";
  return children?.map(textOf).join("") ?? value?.replaceAll("\n", " ") ?? "";
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word));
