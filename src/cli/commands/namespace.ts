import { Command } from "commander";
import type * as v from "valibot";
import type { labelledRead } from "../../contract/answers.ts";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { deleteCommand } from "../resource/delete.ts";
import { getCommand } from "../resource/get.ts";
import { NAMESPACE_RESOURCE, type ResourceKind } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const namespaceCommand = (io: Io) =>
  labelledCommand(io, "Register namespaces with their labels", NAMESPACE_RESOURCE);

/** Makes the commands for nodes and namespaces. */
export const labelledCommand = (
  io: Io,
  description: string,
  kind: ResourceKind,
  deleting: Command = deleteCommand(io, kind),
): Command =>
  new Command(kind.noun)
    .description(description)
    .addHelpText(
      "after",
      examples(
        [`Show the ${kind.plural} of the space`, `plat ${kind.noun} get`],
        [
          `Register the ${kind.plural} of a cluster`,
          `kubectl get ${kind.plural} -o json | plat ${kind.noun} apply -f -`,
        ],
      ),
    )
    .addCommand(getCommand(io, kind, COLUMNS))
    .addCommand(applyCommand(io, kind))
    .addCommand(deleting);

const COLUMNS: readonly Column<v.InferOutput<typeof labelledRead>>[] = [
  { header: "NAME", value: ({ name }) => name },
  {
    header: "LABELS",
    value: ({ labels }) => {
      const said = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      return said.length > 0 ? said.join(", ") : undefined;
    },
    long: "wrap",
  },
];
