import type { Api, Versioned } from "../api/api.ts";
import type { Answer, Job, Pool } from "../api/types.ts";
import { Moment, Sentence } from "../parts/moment.tsx";
import { Named, To } from "../parts/to.tsx";
import {
  type Act,
  type Field,
  type Input,
  InvalidInput,
  jsonObjectIn,
  linesOf,
  wholeIn,
} from "./act.ts";
import { Difference } from "./difference.tsx";

type Written = Answer<"poolWritten">;
type Begun = Answer<"jobBegun">;

const pathOf = (name: string) => `pools/${encodeURIComponent(name)}`;

/** Returns the act that creates a pool. */
export const createPool = (api: Api): Act => ({
  label: "Create a pool",
  isMain: true,
  title: "Create a pool",
  verb: "Create",
  intro: "A pool is a CIDR that Plat cuts into blocks, or a set of addresses in it.",
  fields: [
    { name: "name", label: "Name", kind: "text", isRequired: true },
    { name: "cidr", label: "CIDR", kind: "text", isRequired: true, hint: "Such as 10.0.0.0/16" },
    {
      name: "assign",
      label: "Assigns",
      kind: "choice",
      choices: ["addresses", "prefixes"],
      initial: "addresses",
      isFolded: true,
    },
    {
      name: "blockSize",
      label: "Block size",
      kind: "number",
      hint: "The prefix length of a block. By default 26, or 122 for IPv6",
      isFolded: true,
    },
    ...changeable(undefined).map((field) => ({ ...field, isFolded: true })),
  ],
  inShell: ({ name = "", ...input }) => ({
    request: { method: "PUT", path: pathOf(name), body: bodyOf(input), version: "none" },
  }),
  async preview({ name = "", ...input }) {
    const pool = await api.send<Written>({
      method: "PUT",
      path: pathOf(name),
      query: { dryRun: "true" },
      body: bodyOf(input),
      version: "none",
    });
    return <Difference after={withoutFlags(pool)} />;
  },
  async perform({ name = "", ...input }) {
    const { effectiveAt } = await api.send<Written>({
      method: "PUT",
      path: pathOf(name),
      body: bodyOf(input),
      version: "none",
    });
    return (
      <>
        <p>
          The pool <Named kind="pool" name={name} /> is created.
        </p>
        <InForce at={effectiveAt} />
      </>
    );
  },
});

/** Returns the acts on a pool, in the version that was read. */
export const actsOn = (api: Api, { value: pool, version }: Versioned<Pool>) => {
  const { name } = pool;
  const path = pathOf(name);
  const bodyFor = (input: Input) => bodyOf({ ...fixedOf(pool), ...input }, pool);
  const put = (input: Input, query = {}) =>
    api.send<Written>({ method: "PUT", path, query, body: bodyFor(input), version });
  const dryRun = { dryRun: "true" };
  const change: Act = {
    label: "Change",
    title: `Change the pool ${name}`,
    verb: "Change",
    intro: "Assigned addresses stay assigned.",
    fields: changeable(pool),
    inShell: (input) => ({
      request: { method: "PUT", path, body: bodyFor(input), version },
    }),
    async preview(input) {
      return <Difference before={{ ...pool }} after={withoutFlags(await put(input, dryRun))} />;
    },
    async perform(input) {
      const { effectiveAt, job } = await put(input);
      return (
        <>
          <p>The pool {name} is changed.</p>
          <InForce at={effectiveAt} />
          {job !== undefined && <OfJob id={job} />}
        </>
      );
    },
  };
  const begin = (
    verb: string,
    request: { readonly method: "POST" | "DELETE"; readonly path: string },
  ) => ({
    inShell: () => ({ plat: ["pool", verb, name], request: { ...request, version } }),
    async preview() {
      const { job } = await api.send<Begun>({ ...request, query: dryRun, version });
      return <Would job={job} />;
    },
    async perform() {
      const { job, effectiveAt } = await api.send<Begun>({ ...request, version });
      return (
        <>
          <p>
            <Sentence text={job.detail} />
          </p>
          <InForce at={effectiveAt} />
          <OfJob id={job.id} />
        </>
      );
    },
  });
  const drain: Act = {
    label: "Drain",
    title: `Drain the pool ${name}`,
    verb: "Drain",
    intro:
      "The pool assigns nothing new, and Plat deletes its blocks as they become empty. Assigned addresses stay until they are released. To cancel a drain, enable the pool again.",
    ...begin("drain", { method: "POST", path: `${path}/drain` }),
  };
  const remove: Act = {
    label: "Delete",
    title: `Delete the pool ${name}`,
    verb: "Delete the pool",
    intro: `Deletes the pool and its settings. Another pool can use its range ${pool.cidr} once the last address is released.`,
    typed: name,
    ...begin("delete", { method: "DELETE", path }),
  };
  return { change, drain, delete: remove };
};

function Would({ job: { detail, earliestEndAt } }: { readonly job: Job }) {
  return (
    <>
      <p>
        <Sentence text={detail} />
      </p>
      {earliestEndAt && (
        <p>
          It ends no earlier than <Moment at={earliestEndAt} />.
        </p>
      )}
    </>
  );
}

const InForce = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? null : (
    <p>
      It takes effect everywhere by <Moment at={at} />.
    </p>
  );

const OfJob = ({ id }: { readonly id: string }) => (
  <p>
    <To page={{ kind: "jobs" }} view={{ id }}>
      Its job
    </To>{" "}
    shows the progress.
  </p>
);

/** The fields with an input of their own; all others are in one JSON. */
const WITH_INPUT = [
  "name",
  "cidr",
  "assign",
  "blockSize",
  "assignmentMode",
  "disabled",
  "nodeSelector",
  "cooldownSeconds",
  "ranges",
  "excludes",
];

/** Fields of an answer that are no settings. */
const NO_SETTING = ["state", "job"];

const fixedOf = ({ cidr, assign, blockSize }: Pool): Input => ({
  cidr,
  assign,
  blockSize: String(blockSize),
});

/** Returns the fields of what can be changed, with the values of a pool. */
function changeable(pool: Pool | undefined): readonly Field[] {
  const others = Object.entries(pool ?? {}).filter(
    ([name]) => !WITH_INPUT.includes(name) && !NO_SETTING.includes(name),
  );
  const isSpecial = isForApplications(pool?.assignmentMode);
  return [
    {
      name: "assignmentMode",
      label: "Assignment",
      kind: "choice",
      choices: MODES.filter((mode) => !pool || isForApplications(mode) === isSpecial),
      initial: pool?.assignmentMode ?? "Automatic",
      hint: isSpecial
        ? "A pool of applications serves only applications"
        : "A manual pool serves only requests that name it",
    },
    {
      name: "disabled",
      label: "Disabled: assigns nothing new",
      kind: "flag",
      initial: pool?.disabled ? "true" : "",
    },
    {
      name: "nodeSelector",
      label: "Node selector",
      kind: "text",
      initial: pool?.nodeSelector,
      hint: "Such as zone == 'a'. Empty: all hosts",
    },
    {
      name: "cooldownSeconds",
      label: "Cooldown, in seconds",
      kind: "number",
      initial: pool?.cooldownSeconds?.toString(),
      hint: `Empty: ${cooldownWithout(pool)}`,
    },
    // A pool that was created without ranges cannot get them.
    ...(!pool || pool.ranges ? rangesOf(pool) : []),
    {
      name: "others",
      label: "Other fields, as JSON",
      kind: "lines",
      initial: others.length > 0 ? JSON.stringify(Object.fromEntries(others), null, 1) : "",
      hint: 'Such as {"mtu": 1400}',
    },
  ];
}

/** The modes of the contract; one that is missing, or too many, does not compile. */
const MODES = Object.keys({
  Automatic: true,
  Manual: true,
  Applications: true,
} satisfies Readonly<Record<Pool["assignmentMode"], true>>);

const isForApplications = (mode: string | undefined): boolean => mode === "Applications";

/** Returns the cooldown of a pool that has none of its own. */
const cooldownWithout = (pool: Pool | undefined): string => {
  if (pool) return pool.assign === "prefixes" ? "300 seconds" : "the cooldown of the space";
  return "the cooldown of the space, or 300 seconds for prefixes";
};

const rangesOf = (pool: Pool | undefined): readonly Field[] => [
  {
    name: "ranges",
    label: "Ranges",
    kind: "lines",
    initial: pool?.ranges?.join("\n"),
    hint: `One per line, such as 10.0.0.10-10.0.0.99. Empty: ${pool ? "no addresses" : "the whole CIDR"}`,
  },
  {
    name: "excludes",
    label: "Excludes",
    kind: "lines",
    initial: pool?.excludes?.join("\n"),
    hint: "Addresses to leave out of the ranges: one range per line",
  },
];

/**
 * Returns the body of a PUT. It throws an `InvalidInput`.
 *
 * @param before the pool that is changed. One with ranges keeps them, also if it has none left.
 */
function bodyOf(input: Input, before?: Pool): unknown {
  const { cidr, assign, assignmentMode, disabled, nodeSelector } = input;
  const blockSize = wholeIn(input, "blockSize");
  const cooldownSeconds = wholeIn(input, "cooldownSeconds");
  const ranges = linesOf(input.ranges);
  const excludes = linesOf(input.excludes);
  return {
    ...othersOf(input.others ?? ""),
    cidr: cidr?.trim(),
    assign,
    ...(blockSize !== undefined && { blockSize }),
    assignmentMode,
    disabled: disabled === "true",
    ...(nodeSelector && { nodeSelector }),
    ...(cooldownSeconds !== undefined && { cooldownSeconds }),
    ...((ranges.length > 0 || before?.ranges) && { ranges }),
    ...(excludes.length > 0 && { excludes }),
  };
}

function othersOf(text: string): object {
  if (text.trim() === "") return {};
  const others = jsonObjectIn(text);
  if (!others)
    throw new InvalidInput(
      'The other fields must be a JSON object, such as {"mtu": 1400}.',
      "others",
    );
  const own = Object.keys(others).filter((name) => WITH_INPUT.includes(name));
  if (own.length > 0)
    throw new InvalidInput(
      `These fields have a place of their own and cannot be set here: ${own.join(", ")}.`,
      "others",
    );
  return others;
}

/** Returns a pool without the fields that an answer to a dry run adds. */
const withoutFlags = ({ dryRun: _, effectiveAt: __, ignored: ___, ...pool }: Written) => pool;
