import { QUOTA } from "../../../src/nouns/quota/contract/request.ts";
import type { Api, Change, Versioned } from "../api/api.ts";
import type { Answer } from "../api/types.ts";
import type { Act, ActsOfPage, Field, Input } from "./act.ts";
import { fieldsOf, optionsFor, valuesIn } from "./declared.ts";
import { Difference } from "./difference.tsx";

type Quota = Answer<"quotaRead">;
type Written = Answer<"quotaWritten">;

const INTRO =
  "Plat rejects requests that would exceed a maximum. Assigned addresses stay assigned. Without a principal or a tenant, the quota limits the whole space. An empty maximum means no limit.";

const NAME: Field = { name: "name", label: "Name", kind: "text", isRequired: true };

const pathOf = (name: string) => `quotas/${encodeURIComponent(name)}`;

const putOf = (name: string, input: Input, version: string, query = {}): Change => ({
  method: "PUT",
  path: pathOf(name),
  query,
  body: valuesIn(QUOTA, input),
  version,
});

const DRY_RUN = { dryRun: "true" };

const after = ({ dryRun: _, effectiveAt: __, ...quota }: Written) => quota;

/** Returns the act that creates a quota. */
export const createQuota = (api: Api): Act => ({
  label: "Create a quota",
  isMain: true,
  title: "Create a quota",
  verb: "Create",
  intro: INTRO,
  fields: [NAME, ...fieldsOf(QUOTA)],
  async preview({ name = "", ...input }) {
    const written = await api.send<Written>(putOf(name, input, "none", DRY_RUN));
    return <Difference after={after(written)} />;
  },
  inShell: ({ name = "", ...input }) => ({
    plat: ["quota", "create", name, ...optionsFor(QUOTA, valuesIn(QUOTA, input))],
    request: putOf(name, input, "none"),
  }),
  async perform({ name = "", ...input }) {
    await api.send(putOf(name, input, "none"));
    return <p>The quota {name} is created.</p>;
  },
});

/** Returns the acts on a quota, in the version that was read. */
export function actsOn(api: Api, { value: quota, version = "none" }: Versioned<Quota>): ActsOfPage {
  const { name } = quota;
  const change: Act = {
    label: "Change",
    title: `Change the quota ${name}`,
    verb: "Change",
    intro: INTRO,
    fields: fieldsOf(QUOTA, quota),
    async preview(input) {
      const written = await api.send<Written>(putOf(name, input, version, DRY_RUN));
      return <Difference before={quota} after={after(written)} />;
    },
    inShell: (input) => ({ request: putOf(name, input, version) }),
    async perform(input) {
      await api.send(putOf(name, input, version));
      return <p>The quota {name} is changed.</p>;
    },
  };
  const request: Change = { method: "DELETE", path: pathOf(name), version };
  const remove: Act = {
    label: "Delete",
    title: `Delete the quota ${name}`,
    verb: "Delete the quota",
    intro: "Releases nothing. The quota no longer limits requests.",
    typed: name,
    inShell: () => ({ plat: ["quota", "delete", name], request }),
    async preview() {
      await api.send({ ...request, query: DRY_RUN });
      return <p>The quota is deleted. No address changes its state.</p>;
    },
    async perform() {
      await api.send(request);
      return <p>The quota {name} is deleted.</p>;
    },
  };
  return { change, delete: remove };
}
