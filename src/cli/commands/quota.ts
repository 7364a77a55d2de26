import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { COUNTED, type Counted } from "../../nouns/quota/budget.ts";
import { QUOTA as FIELDS } from "../../nouns/quota/contract/request.ts";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { createCommand } from "../resource/create.ts";
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
        ["Show how much of it is used", "plat quota usage red"],
      ),
    )
    .addCommand(getCommand(io, QUOTA_RESOURCE, COLUMNS))
    .addCommand(
      createCommand(
        io,
        QUOTA_RESOURCE,
        FIELDS,
        "Create a quota; without --principal and --tenant it limits the space",
        ["Limit the whole space", "plat quota create all --requests-per-second 200"],
        [
          "Limit a caller with a token",
          "plat quota create ci --principal token:ci --addresses 500",
        ],
      ),
    )
    .addCommand(
      ignoringNotFound(printing(new Command("usage")))
        .description("Show how much of a quota is used")
        .argument("<quota>", "Name of the quota")
        .addHelpText(
          "after",
          examples(["Show how much of a quota is used", "plat quota usage red"]),
        )
        .action(action(io, showUsage)),
    )
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

interface Use {
  readonly of: Counted;
  readonly used: number;
  readonly max: number;
}

const USES: readonly Column<Use>[] = [
  { header: "LIMIT", value: ({ of }) => of },
  { header: "USED", value: ({ used }) => used },
  { header: "MAX", value: ({ max }) => max },
];

async function showUsage({ client, print, io }: Session, _: object, name: string): Promise<void> {
  const document = (await client.readQuotaUsage({ name })).body;
  const rows = COUNTED.flatMap((of) => {
    const use = document[of];
    return use ? [{ of, ...use }] : [];
  });
  print({ columns: USES, rows, document });
  if (rows.length === 0)
    io.err(`Note: ${name} limits requests a second only, which are not counted over time.\n`);
}
