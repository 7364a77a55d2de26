import { Command } from "commander";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { deleteCommand } from "../resource/delete.ts";
import { getCommand } from "../resource/get.ts";
import { APPLICATION_RESOURCE } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import type { ApplicationRead } from "../space/configuration.ts";

export const applicationCommand = (io: Io): Command =>
  new Command("application")
    .summary("Hold addresses for workloads")
    .description("Hold addresses for the instances of workloads, such as a Deployment")
    .addHelpText(
      "after",
      examples(
        ["Show the applications of the space", "plat application get"],
        ["Hold what a file asks for", "plat application apply -f applications.yaml"],
        ["Release the held addresses", "plat application delete shop/Deployment/web"],
      ),
    )
    .addCommand(getCommand(io, APPLICATION_RESOURCE, COLUMNS))
    .addCommand(applyCommand(io, APPLICATION_RESOURCE))
    .addCommand(deleteCommand(io, APPLICATION_RESOURCE));

const COLUMNS: readonly Column<ApplicationRead>[] = [
  { header: "NAME", value: ({ namespace, kind, name }) => `${namespace}/${kind}/${name}` },
  { header: "REPLICAS", value: ({ replicas }) => replicas },
  { header: "NUMBER", value: ({ addresses }) => addresses?.number },
  { header: "ADDRESSES", value: ({ members }) => members.length },
  { header: "COMPLETE", value: ({ complete }) => complete },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "REFUSAL", value: ({ refusal }) => refusal?.detail, long: "wrap", wide: true },
];
