import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { QUOTA as FIELDS } from "../../nouns/quota/contract/request.ts";
import { action, type DryRunOption, type Session, withDryRun } from "../invocation/cli.ts";
import { fieldsIn, withFields } from "../invocation/field-options.ts";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { create } from "../resource/create.ts";
import { deleteCommand } from "../resource/delete.ts";
import { getCommand } from "../resource/get.ts";
import { QUOTA_RESOURCE } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const quotaCommand = (io: Io): Command =>
  new Command("quota")
    .summary("Limit a space, a principal or a tenant")
    .description("Limit what a space, a principal or a tenant can have and ask for")
    .addHelpText(
      "after",
      examples(
        ["Show the quotas", "plat quota get"],
        ["Limit a tenant", "plat quota create red --tenant red --addresses 500"],
      ),
    )
    .addCommand(getCommand(io, QUOTA_RESOURCE, COLUMNS))
    .addCommand(createCommand(io))
    .addCommand(applyCommand(io, QUOTA_RESOURCE))
    .addCommand(deleteCommand(io, QUOTA_RESOURCE));

const COLUMNS: readonly Column<Answer<"readQuota">>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "PRINCIPAL", value: ({ principal }) => principal },
  { header: "TENANT", value: ({ tenant }) => tenant },
  { header: "ADDRESSES", value: ({ addresses }) => addresses },
  { header: "PREFIXES", value: ({ prefixes }) => prefixes },
  { header: "BLOCKS", value: ({ blocks }) => blocks },
  { header: "REQUESTS/S", value: ({ requestsPerSecond }) => requestsPerSecond },
];

const createCommand = (io: Io): Command =>
  withFields(
    withDryRun(new Command("create"), "Say what would be created, and create nothing"),
    FIELDS,
  )
    .description("Create a quota; without --principal and --tenant it limits the space")
    .argument("<name>", "Name of the new quota")
    .addHelpText(
      "after",
      examples(
        ["Limit the whole space", "plat quota create all --requests-per-second 200"],
        [
          "Limit a caller with a token",
          "plat quota create ci --principal token:ci --addresses 500",
        ],
      ),
    )
    .action(
      action(io, (session: Session, options: DryRunOption, name: string) =>
        create(session, QUOTA_RESOURCE, name, fieldsIn(FIELDS, options), options),
      ),
    );
