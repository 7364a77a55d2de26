import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { RESERVATION as FIELDS } from "../../nouns/reservation/contract/request.ts";
import type { Column } from "../output/table.ts";
import { applyCommand } from "../resource/apply.ts";
import { createCommand } from "../resource/create.ts";
import { deleteCommand } from "../resource/delete.ts";
import { getCommand } from "../resource/get.ts";
import { RESERVATION_RESOURCE } from "../resource/kind.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const reservationCommand = (io: Io): Command =>
  new Command("reservation")
    .summary("Keep addresses out of automatic assignment")
    .description(
      "Keep addresses out of automatic assignment; a request can still ask for one by address",
    )
    .addHelpText(
      "after",
      examples(
        ["Show the reservations", "plat reservation get"],
        ["Reserve a range", "plat reservation create gateways --cidr 10.0.0.0/29"],
      ),
    )
    .addCommand(getCommand(io, RESERVATION_RESOURCE, COLUMNS))
    .addCommand(
      createCommand(
        io,
        RESERVATION_RESOURCE,
        FIELDS,
        "Reserve addresses",
        [
          "Reserve a range and an address",
          "plat reservation create gateways --cidr 10.0.0.0/29,10.0.1.1 --reason routers",
        ],
        [
          "Reserve from one address to another",
          "plat reservation create dhcp --cidr 10.0.2.10-10.0.2.99",
        ],
      ),
    )
    .addCommand(applyCommand(io, RESERVATION_RESOURCE))
    .addCommand(deleteCommand(io, RESERVATION_RESOURCE));

const COLUMNS: readonly Column<Answer<"readReservation">>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDRS", value: ({ cidrs }) => cidrs.join(", "), long: "wrap" },
  { header: "REASON", value: ({ reason }) => reason, long: "wrap" },
];
