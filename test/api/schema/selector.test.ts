import { describe, expect, it } from "vitest";
import { checked, fields } from "../../../src/api/schema/schema.ts";
import { LABEL_SELECTOR_VALUES_MAX, selector } from "../../../src/api/schema/selector.ts";
import { rejectedFields } from "../problem-of.ts";

const read = (nodeSelector: unknown) =>
  checked(fields({ nodeSelector: selector }), { nodeSelector });
const rejected = (nodeSelector: unknown) => rejectedFields(() => read(nodeSelector));

describe("a selector of a pool", () => {
  it("is a text, kept as written", () => {
    expect(read("zone=='a'")).toMatchObject({
      nodeSelector: { text: "zone=='a'", selector: { kind: "==", label: "zone", value: "a" } },
    });
  });

  it("is a LabelSelector of Kubernetes, kept as its text", () => {
    const labelSelector = {
      matchLabels: { "kubernetes.io/os": "linux" },
      matchExpressions: [
        { key: "zone", operator: "In", values: ["a", "b"] },
        { key: "gpu", operator: "DoesNotExist" },
        { key: "app", operator: "Exists", values: [] },
      ],
    };
    expect(read(labelSelector)).toMatchObject({
      nodeSelector: {
        text: 'kubernetes.io/os == "linux" && zone in {"a", "b"} && !has(gpu) && has(app)',
      },
    });
  });

  it.each([[1], [true], [null], [["all()"]]])("is neither %j", (value) => {
    expect(rejected(value)).toEqual([
      "nodeSelector: must be the text of a selector, or a LabelSelector",
    ]);
  });

  it("is no text with a mistake", () => {
    expect(rejected("zone = 'a'")).toEqual([expect.stringMatching(/^nodeSelector: .*==/)]);
    expect(rejected("global()")).toEqual([
      expect.stringMatching(/^nodeSelector: must not contain/),
    ]);
  });

  it.each([[{}], [{ matchLabels: {} }], [{ matchLabels: {}, matchExpressions: [] }]])(
    "requires something, not %j",
    (value) => {
      expect(rejected(value)).toEqual([expect.stringMatching(/^nodeSelector: has no requirement/)]);
    },
  );

  it.each<[string, object, string]>([
    ["no key", { operator: "Exists" }, "key: is required"],
    ["a key that no label has", { key: "a b", operator: "Exists" }, "key: must have a name of 1"],
    ["no operator", { key: "a" }, "operator: is required"],
    [
      "an operator of nodes only",
      { key: "a", operator: "Gt", values: ["1"] },
      "operator: must be one of In, NotIn, Exists, DoesNotExist",
    ],
    ["an operator in lower case", { key: "a", operator: "in", values: ["1"] }, "operator: must be"],
    ["In of nothing", { key: "a", operator: "In", values: [] }, "values: must have a value for"],
    ["NotIn without values", { key: "a", operator: "NotIn" }, "values: must have a value for"],
    [
      "Exists with values",
      { key: "a", operator: "Exists", values: ["b"] },
      "values: must be absent",
    ],
    [
      "a value that no label has",
      { key: "a", operator: "In", values: ['"'] },
      "values[0]: must be",
    ],
    ["a number as value", { key: "a", operator: "In", values: [1] }, "values[0]: must be a string"],
    [
      "too many values",
      { key: "a", operator: "In", values: Array(LABEL_SELECTOR_VALUES_MAX + 1).fill("b") },
      "values: must have at most 256 values",
    ],
    [
      "a field too many",
      { key: "a", operator: "Exists", value: "b" },
      "value: is not a field here",
    ],
  ])("has no requirement with %s", (_, expression, problem) => {
    expect(rejected({ matchExpressions: [expression] })).toEqual([
      expect.stringContaining(`nodeSelector.matchExpressions[0].${problem}`),
    ]);
  });

  it("has no label and no field that Kubernetes does not know", () => {
    expect(rejected({ matchLabels: { zone: "a b" } })).toEqual([
      expect.stringMatching(/^nodeSelector\.matchLabels\.zone: must be empty, or/),
    ]);
    expect(rejected({ matchNames: ["a"] })).toEqual([
      expect.stringMatching(/^nodeSelector\.matchNames: is not a field here/),
    ]);
  });

  it("has no more characters as a text than a text may have", () => {
    const values = Array.from({ length: 200 }, (_, i) => `value-${i}`);
    expect(rejected({ matchExpressions: [{ key: "zone", operator: "In", values }] })).toEqual([
      "nodeSelector: is a selector of 2298 characters, more than the 1024 that one may have",
    ]);
  });
});
