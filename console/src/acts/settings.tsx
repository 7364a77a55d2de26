import { SETTINGS } from "../../../src/nouns/settings/contract/request.ts";
import type { Api, Change, Versioned } from "../api/api.ts";
import type { Answer } from "../api/types.ts";
import { Moment } from "../parts/moment.tsx";
import { type Act, type Input, InvalidInput } from "./act.ts";
import { fieldsOf, optionsFor, type Values, valuesIn } from "./declared.ts";
import { Difference } from "./difference.tsx";

type Written = Answer<"settingsWritten">;

/** Returns the act that changes the settings of the space, in the version that was read. */
export function changeSettings(api: Api, read: Versioned<Answer<"settingsRead">>): Act {
  const { value: before, version = "none" } = read;
  const put = (body: Values, query = {}): Change => ({
    method: "PUT",
    path: "config",
    query,
    body,
    version,
  });
  const changedBy = (input: Input): Values => {
    const changed = Object.entries(valuesIn(SETTINGS, input)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Values)[name]),
    );
    if (changed.length === 0) throw new InvalidInput("You have changed nothing.");
    return Object.fromEntries(changed);
  };
  // A setting that a PUT leaves out gets its default, and so does a field that is empty here.
  const bodyOf = (input: Input): Values => ({ ...valuesIn(SETTINGS, input) });
  return {
    label: "Change the settings",
    title: "Change the settings of the space",
    verb: "Change",
    intro: "Assigned addresses stay assigned. An empty field gets Plat's default.",
    fields: fieldsOf(SETTINGS, before),
    async preview(input) {
      const written = await api.send<Written>(put(bodyOf(input), { dryRun: "true" }));
      const { dryRun: _, effectiveAt: __, ...after } = written;
      return <Difference before={before} after={after} />;
    },
    inShell: (input) => ({
      plat: ["configure", ...optionsFor(SETTINGS, changedBy(input))],
      request: put(bodyOf(input)),
    }),
    async perform(input) {
      const { effectiveAt } = await api.send<Written>(put(bodyOf(input)));
      return (
        <>
          <p>The settings are changed.</p>
          {effectiveAt !== undefined && (
            <p>
              They take effect everywhere by <Moment at={effectiveAt} />.
            </p>
          )}
        </>
      );
    },
  };
}
