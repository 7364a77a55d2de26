import { Command, Option } from "commander";
import { isManifest, nameInManifest } from "../../api/http/choose-manifest.ts";
import { isRecord } from "../../api/schema/schema.ts";
import type { Answer, Parameters } from "../../client/index.ts";
import { CILIUM_NODE, FAMILY_TEXTS } from "../../nouns/cilium/contract/request.ts";
import { CILIUM_MODES } from "../../nouns/cilium/object.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withQuestion } from "../invocation/confirm.ts";
import { type Duration, duration, several } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import { tellingResult } from "../output/progress.ts";
import { warn } from "../resource/change.ts";
import { itemsIn } from "../resource/documents.ts";
import { getVerb } from "../resource/get.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInputs } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

const GET_EXAMPLES = examples(["Show what a node has", "plat node cilium get node-1 -o yaml"]);

const APPLY_EXAMPLES = examples(
  [
    "Give a node its prefixes, and print its object with them",
    "kubectl get ciliumnode node-1 -o json | plat node cilium apply -f -",
  ],
  [
    "Give nodes prefixes of pools by name",
    "plat node cilium apply -f nodes.yaml --mode multi-pool -o yaml",
  ],
);

const RELEASE_EXAMPLES = examples([
  "Release what a node had that is gone",
  "plat node cilium release node-1 --uid 8f3e",
]);

/** Makes the commands for the CiliumNodes of nodes. */
export const nodeCiliumCommand = (io: Io): Command =>
  new Command("cilium")
    .description("Give nodes of Cilium what their CiliumNodes ask for")
    .addHelpText("after", APPLY_EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the CiliumNode of a node, with what it has now")
        .argument("<node>", "The node")
        .addHelpText("after", GET_EXAMPLES)
        .action(action(io, get)),
    )
    .addCommand(
      printing(new Command("apply"))
        .description("Grant what CiliumNodes ask for, and print them with that filled in, as JSON")
        .requiredOption(
          "-f, --filename <file>",
          "CiliumNodes in YAML or JSON; - reads stdin; repeatable",
          several,
        )
        .addOption(new Option("--mode <mode>", "Cilium's mode of IPAM").choices(CILIUM_MODES))
        .addOption(
          new Option("--families <families>", "Address families that the nodes need").choices(
            FAMILY_TEXTS,
          ),
        )
        .option(
          "--release-after <duration>",
          "Release an excess of addresses after this time; default: never",
          duration,
        )
        .option(
          "--withdraw-after <duration>",
          "Release a withdrawn address that is unused for this time; default: 60s",
          duration,
        )
        .addHelpText("after", APPLY_EXAMPLES)
        .action(action(io, apply)),
    )
    .addCommand(
      withQuestion(printing(new Command("release")))
        .description("Release all that a node has by its CiliumNode")
        .argument("<node>", "The node")
        .requiredOption(
          "--uid <uid>",
          "The uid of the Node that owns the CiliumNode, else that of the CiliumNode",
        )
        .addHelpText("after", RELEASE_EXAMPLES)
        .action(action(io, release)),
    );

async function get({ client, io, print }: Session, _: unknown, node: string): Promise<void> {
  const { body: object } = await client.readCiliumNode({ node });
  warn(io, errorsOf(object));
  print(shown([node], object));
}

type CiliumNode = Answer<"readCiliumNode">;

/** The options of a PUT of a CiliumNode. Those that are absent have the API's defaults. */
type CiliumQuery = Omit<Parameters<"putCiliumNode">, "node" | "body">;

interface ApplyOptions {
  readonly filename: readonly string[];
  readonly mode?: CiliumQuery["mode"];
  readonly families?: CiliumQuery["families"];
  readonly releaseAfter?: Duration;
  readonly withdrawAfter?: Duration;
}

async function apply({ client, io, print }: Session, options: ApplyOptions): Promise<void> {
  const { filename, mode, families, releaseAfter, withdrawAfter } = options;
  const query: CiliumQuery = {
    mode,
    families,
    releaseAfterSeconds: secondsOf(releaseAfter),
    withdrawAfterSeconds: secondsOf(withdrawAfter),
  };
  const files = await readInputs(io, filename);
  const nodes = files.flatMap(({ name, text }) => ciliumNodesIn(name, text));
  const granted: CiliumNode[] = [];
  async function* grants() {
    for (const { name, object } of nodes)
      yield (await client.putCiliumNode({ node: name, ...query, body: object })).body;
  }
  const tell = () => {
    warn(io, granted.flatMap(errorsOf));
    const list = { apiVersion: "v1", kind: "List", items: granted };
    const names = nodes.slice(0, granted.length).map(({ name }) => name);
    print(shown(names, nodes.length > 1 ? list : granted[0]));
  };
  await tellingResult(io, granted, tell, async (untilInterrupted) => {
    for await (const object of untilInterrupted(grants())) granted.push(object);
  });
}

async function release(
  session: Session,
  options: Pick<ConfirmOptions, "yes"> & { readonly uid: string },
  node: string,
): Promise<void> {
  const { client, print } = session;
  const { uid } = options;
  const confirm = confirmation(session, options, `plat node cilium get ${node}`);
  await confirm(
    `Release all that node ${node} has by its CiliumNode under uid ${uid}? Make sure that no pod uses these addresses.`,
  );
  const { body: document } = await client.releaseCiliumNode({ node, uid });
  const { released } = document;
  print({
    text: () =>
      `${counted(released.length, "prefix or address", "prefixes and addresses")} of ${node} released\n`,
    document,
    names: released,
  });
}

/** Prints an object as JSON without an option too, so that kubectl can read it. */
const shown = (names: readonly string[], document: unknown) => ({
  text: () => `${JSON.stringify(document, null, 2)}\n`,
  document,
  names,
});

const secondsOf = (time: Duration | undefined): number | undefined =>
  time && Math.ceil(time.ms / 1_000);

function ciliumNodesIn(file: string, text: string) {
  const items = itemsIn(file, text, { plural: "ciliumnodes" });
  const nodes = items.flatMap((item) => {
    const name = nameInManifest(item);
    const isOne = isRecord(item) && isManifest(item) && item.kind === CILIUM_NODE.kind;
    const object = item as Parameters<"putCiliumNode">["body"];
    return isOne && typeof name === "string" ? [{ name, object }] : [];
  });
  if (nodes.length === items.length && nodes.length > 0) return nodes;
  throw usageError(`${file} must have CiliumNodes with names, and nothing else.`);
}

/** Returns the sentences on what could not be granted. */
const errorsOf = ({ status }: CiliumNode): readonly string[] =>
  status.operator.error === "" ? [] : [status.operator.error];
