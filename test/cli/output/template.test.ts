import { describe, expect, it } from "vitest";
import { parseTemplate } from "../../../src/cli/output/template.ts";
import { type CommandError, EXIT } from "../../../src/cli/shell/exit.ts";

const DOCUMENT = {
  name: "web",
  labels: { "example.com/zone": "a" },
  pools: [
    { name: "v4", cidr: "10.0.0.0/16", uses: ["Workload", "Tunnel"] },
    { name: "v6", cidr: "fd00::/64", uses: [] },
  ],
};

const printed = (template: string) => parseTemplate(template)(DOCUMENT);

describe("-o jsonpath", () => {
  it.each([
    ["{.name}", "web\n"],
    [".name", "web\n"],
    ["name", "web\n"],
    ["{$.name}", "web\n"],
    ["{.pools[0].cidr}", "10.0.0.0/16\n"],
    ["{.pools[-1:].cidr}", "fd00::/64\n"],
    ["{.pools[*].name}", "v4 v6\n"],
    ["{..cidr}", "10.0.0.0/16 fd00::/64\n"],
    ["{.labels['example.com/zone']}", "a\n"],
    [`{.pools[?(@.name=="v6")].cidr}`, "fd00::/64\n"],
    ["{.pools[0].uses}", '["Workload","Tunnel"]\n'],
    ["{.nothing}", "\n"],
    ["pool {.name} is there", "pool web is there\n"],
    [`{.name}{"\\t"}{.pools[0].name}{"\\n"}`, "web\tv4\n"],
    ["{.name}{'{}'}", "web{}\n"],
    [`{range .pools[*]}{.name}={.cidr}{"\\n"}{end}`, "v4=10.0.0.0/16\nv6=fd00::/64\n"],
    [`{range .pools[*]}{.name}:{range .uses[*]} {@}{end};{end}`, "v4: Workload Tunnel;v6:;\n"],
  ])("%s prints as kubectl does, with one line end", (template, text) => {
    expect(printed(template)).toBe(text);
  });

  it.each([
    ["{.name", "a { has no counterpart"],
    ["name}{.x}", "a } has no counterpart"],
    ["{.pools[}", "-o jsonpath has"],
    ["{range .pools[*]}{.name}", "{range .pools[*]} has no {end}"],
    ["{.name}{end}", "{end} comes without {range PATH}"],
  ])("%s is rejected before anything is sent, with what would be right", (template, said) => {
    const parsing = () => parseTemplate(template);
    expect(parsing).toThrow(said);
    expect(parsing).toThrow("it must be a path such as {.cidr}");
    try {
      parsing();
    } catch (error) {
      expect((error as CommandError).exit).toBe(EXIT.usage);
    }
  });
});
