import { expect, it } from "vitest";
import { whyNotReleasable } from "../../pack/releasable.ts";

const CHANGELOG = "# Changelog\n\n## 0.2.0 (not released)\n\n## 0.1.0 (2026-12-01)\n\n* First.\n";

it("a version is released by its own tag, once the changelog has its day", () => {
  expect(whyNotReleasable("v0.1.0", "0.1.0", CHANGELOG)).toBeUndefined();
});

it.each([
  ["v0.1.1", "0.1.0", "The tag is v0.1.1, and package.json has version 0.1.0"],
  ["v0.2.0", "0.2.0", 'CHANGELOG.md has "not released" for 0.2.0'],
  ["v0.3.0", "0.3.0", "CHANGELOG.md has no heading for 0.3.0"],
])("the tag %s of version %s is refused with the reason", (tag, version, why) => {
  expect(whyNotReleasable(tag, version, CHANGELOG)).toContain(why);
});
