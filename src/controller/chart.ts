import { stringify } from "yaml";
import { BUILD } from "../base/build.ts";
import { CILIUM_DELAY_SECONDS_MAX, FAMILY_TEXTS } from "../nouns/cilium/contract/request.ts";
import { CILIUM_MODES } from "../nouns/cilium/object.ts";
import { pipelineOf } from "./condition.ts";
import { COLLECT_MODES } from "./lost-pods.ts";
import {
  type Choice,
  type Choices,
  CONTRADICTIONS,
  IMAGE_DEFAULT,
  NAME,
  OBSERVES_INSTEAD,
  objectsOf,
  yamlOf,
} from "./manifest.ts";
import { NODE_MODES } from "./nodes.ts";

/** A value of the chart: what it is for, what it is unless a user says something else, and what it may be. */
interface ChartValue {
  readonly words: string;
  readonly otherwise: string | boolean;
  readonly schema?: object;
}

/** A number of seconds, or nothing. */
const SECONDS = {
  type: ["string", "integer"],
  pattern: "^$",
  minimum: 0,
  maximum: CILIUM_DELAY_SECONDS_MAX,
};

const VALUES: Readonly<Record<Choice, ChartValue>> = {
  endpoint: { words: "The URL of Plat; required", otherwise: "", schema: { minLength: 1 } },
  space: { words: "The address space of the cluster", otherwise: "" },
  region: { words: "The Region, for requests that IAM authorizes", otherwise: "" },
  tokenSecret: { words: "The Secret with a token in its key `token`", otherwise: "" },
  nodes: {
    words: 'The way with Nodes: write, observe or "off", which needs its quotes',
    otherwise: NODE_MODES[0],
    schema: { enum: [...NODE_MODES, "off"] },
  },
  lifecycle: { words: "True to write the taints of Nodes", otherwise: false },
  leases: { words: "True to tell Plat which nodes renew their Leases", otherwise: false },
  cilium: {
    words: `The mode in which CiliumNodes are answered: "off", ${CILIUM_MODES.join(", ")}`,
    otherwise: "off",
    schema: { enum: ["off", ...CILIUM_MODES] },
  },
  ciliumFamilies: {
    words: `The families that CiliumNodes need: "${FAMILY_TEXTS.join('", "')}", in quotes`,
    otherwise: "",
    schema: { enum: ["", ...FAMILY_TEXTS] },
  },
  ciliumReleaseAfterSeconds: {
    words: "The seconds after which an excess of addresses is released; never if empty",
    otherwise: "",
    schema: SECONDS,
  },
  ciliumWithdrawAfterSeconds: {
    words: "The seconds for which a withdrawn address must be unused; 60 if empty",
    otherwise: "",
    schema: SECONDS,
  },
  clusterApi: { words: "True to answer IPAddressClaims of Cluster API", otherwise: false },
  endPods: { words: "True to tell Plat which pods are over", otherwise: false },
  agent: {
    words:
      "The list of plugins for plat-cni, which an agent installs on each node; no agents if empty",
    otherwise: "",
  },
  collectPods: {
    words: `The way with addresses whose pod is gone: "off", ${COLLECT_MODES.join(", ")}`,
    otherwise: "off",
    schema: { enum: ["off", ...COLLECT_MODES] },
  },
  calico: {
    words: "True to keep pools and reservations as Calico's manifests say",
    otherwise: false,
  },
  spiderpool: {
    words: "True to keep pools and reservations as Spiderpool's manifests say",
    otherwise: false,
  },
  namespaces: { words: "True to register namespaces", otherwise: false },
  applications: { words: "True to register controllers of pods as applications", otherwise: false },
  deletePools: { words: "True to delete empty pools whose manifest is gone", otherwise: false },
  image: { words: "The image", otherwise: IMAGE_DEFAULT, schema: { minLength: 1 } },
};

/**
 * Returns the files of a chart by their paths in its folder. With values, Helm renders it to the objects of the manifest
 * with the same choices. The namespace is that of the release. https://helm.sh/docs/topics/charts/
 */
export function chartFiles(): Readonly<Record<string, string>> {
  const chart = {
    apiVersion: "v2",
    name: NAME,
    description: "The controller of Plat in a cluster",
    type: "application",
    version: BUILD.version,
    appVersion: BUILD.version,
    // A ValidatingAdmissionPolicy needs it.
    kubeVersion: ">=1.30.0-0",
  };
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    additionalProperties: false,
    properties: {
      // A chart that has this one as a part passes it the values of all.
      global: {},
      ...Object.fromEntries(
        Object.entries(VALUES).map(([name, { words, otherwise, schema: own }]) => [
          name,
          { type: typeof otherwise, description: words, ...own },
        ]),
      ),
    },
  };
  return {
    [`${NAME}/Chart.yaml`]: stringify(chart),
    [`${NAME}/values.yaml`]: Object.entries(VALUES)
      .map(([name, { words, otherwise }]) => `# ${words}\n${name}: ${JSON.stringify(otherwise)}\n`)
      .join(""),
    [`${NAME}/values.schema.json`]: `${JSON.stringify(schema, null, 2)}\n`,
    [`${NAME}/templates/${NAME}.yaml`]: templateOf(),
  };
}

/**
 * Returns where a template finds a value. The way with Nodes follows from two of them. A number becomes a text, because
 * Helm compares it with no text.
 */
function placeOf(name: Choice): string {
  if (name === "nodes") return "$nodes";
  return VALUES[name].schema === SECONDS ? `(.Values.${name} | toString)` : `.Values.${name}`;
}

/** A place in the objects for an action of a template. As a line of its own it takes the whole line. */
const [VALUE, LINE] = ["@@value", "@@line"];

function templateOf(): string {
  const actions: string[] = [];
  const marked = (kind: string, action: string) => `${kind}${actions.push(action) - 1}`;
  const around = (when: Parameters<Choices["items"]>[0]) =>
    [marked(LINE, `{{- if ${pipelineOf(when, placeOf)} }}`), marked(LINE, "{{- end }}")] as const;
  const objects = objectsOf({
    namespace: "{{ .Release.Namespace }}",
    text: (name) => marked(VALUE, `{{ ${placeOf(name)} | quote }}`),
    number: (name) => marked(VALUE, `{{ ${placeOf(name)} | int }}`),
    digest: (texts, names) => {
      const parts = [...texts.map((each) => JSON.stringify(each)), ...names.map(placeOf)].join(" ");
      return marked(VALUE, `{{ list ${parts} | join "\\n" | sha256sum | quote }}`);
    },
    items: <Item>(when: Parameters<Choices["items"]>[0], items: readonly Item[]) => {
      const [begin, end] = around(when);
      return [begin, ...items, end] as readonly Item[];
    },
    fields: (when, fields) => {
      const [begin, end] = around(when);
      return { [begin]: null, ...fields, [end]: null };
    },
  });
  const yaml = objects.map((object) =>
    typeof object === "string" ? yamlOf([object]) : `---\n${yamlOf(object)}`,
  );
  const filled = yaml
    .join("")
    .replace(new RegExp(`^.*"${LINE}(\\d+)".*$`, "gm"), (_, at) => actions[at] ?? "")
    .replace(new RegExp(`"${VALUE}(\\d+)"`, "g"), (_, at) => actions[at] ?? "");
  const rejections = CONTRADICTIONS.map(
    ({ when, value }) =>
      `{{- if ${pipelineOf(when, placeOf)} }}{{ fail ${JSON.stringify(value)} }}{{ end }}\n`,
  );
  const header = [
    "{{- $nodes := .Values.nodes }}\n",
    ...rejections,
    `{{- if ${pipelineOf(OBSERVES_INSTEAD, placeOf)} }}{{ $nodes = "observe" }}{{ end }}\n`,
  ];
  return `${header.join("")}${joined(filled)}`;
}

/** Returns a template in which neighbours under the same condition share it. */
function joined(template: string): string {
  const parts = /^(\{\{- if .* \}\}\n)((?:(?!\{\{- ).*\n)*)\{\{- end \}\}\n\1/gm;
  const shorter = template.replace(parts, "$1$2");
  return shorter === template ? template : joined(shorter);
}
