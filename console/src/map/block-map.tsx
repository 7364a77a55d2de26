import { useCallback, useMemo } from "preact/hooks";
import { around, type Cidr, cidrText } from "../network/cidr.ts";
import { useNavigation } from "../state/navigation.tsx";
import { useScheme } from "../state/scheme.ts";
import { blockLooks, blockSentence, type Seen } from "./block-looks.ts";
import { closer, farther, type Grid } from "./grid.ts";
import { GridMap } from "./grid-map.tsx";
import { hostsOf } from "./hosts.ts";
import { FillLegend, HostLegend } from "./legends.tsx";
import { FILLS, type Part, tilesWithin } from "./tiles.ts";

/** The ways to see the blocks of a pool. */
export const WAYS = ["fill", "host", "table"] as const;
type Way = (typeof WAYS)[number];

export interface BlockMapProps {
  /** The pool. */
  readonly name: string;
  readonly whole: Cidr;
  readonly blockLength: number;
  readonly by: Exclude<Way, "table">;
  readonly shown: Cidr;
  /** The network that the map shows if the address of the page names none. */
  readonly usual: Cidr;
  readonly parts: readonly Part[];
  /** The prefix length of the parts. */
  readonly itemLength: number;
}

/** The blocks of a pool, as a grid that zooms. What it shows is in the address of the page. */
export function BlockMap(props: BlockMapProps) {
  const { name, whole, blockLength, by, shown, usual, parts, itemLength } = props;
  const { place, see, open } = useNavigation();
  const { host, ...view } = place.view;
  const scheme = useScheme();
  const fill = FILLS.find((known) => known === view.fill);
  const hosts = useMemo(() => (by === "host" ? hostsOf(parts) : []), [by, parts]);
  const seen: Seen = useMemo(
    () => ({ by, scheme, hosts, fill, host }),
    [by, scheme, hosts, fill, host],
  );
  const tilesOn = useMemo(() => remembered((grid: Grid) => tilesWithin(grid, parts)), [parts]);
  const looksOn = useCallback(
    (grid: Grid) => blockLooks(grid, tilesOn(grid), seen),
    [tilesOn, seen],
  );
  const show = (cidr: Cidr) =>
    see({ within: cidrText(cidr) === cidrText(usual) ? "" : cidrText(cidr) }, true);
  return (
    <>
      {shown.length > whole.length && (
        <div class="row">
          <Path whole={whole} shown={shown} show={show} />
          <button type="button" onClick={() => show(farther(shown, whole))}>
            Zoom out
          </button>
        </div>
      )}
      {by === "fill" ? (
        <FillLegend parts={parts} chosen={fill} choose={(next) => see({ fill: next })} />
      ) : (
        <HostLegend hosts={hosts} chosen={host} choose={(next) => see({ host: next })} />
      )}
      <GridMap
        label={`Blocks of ${name} in ${cidrText(shown)}`}
        shown={shown}
        itemLength={itemLength}
        looksOn={looksOn}
        describe={(grid, index) => blockSentence(grid, index, tilesOn(grid)[index], blockLength)}
        open={(tile) => {
          if (tile.length < blockLength) show(tile);
          else open({ kind: "block", name: cidrText(tile) });
        }}
        zoom={{
          in: (tile, grid) => show(closer(grid, blockLength, tile)),
          out: () => show(farther(shown, whole)),
        }}
      />
    </>
  );
}

const STEPS_MAX = 4;

/** The networks around what is shown, each one a way out. */
function Path({ whole, shown, show }: { whole: Cidr; shown: Cidr; show(cidr: Cidr): void }) {
  const step = Math.max(1, Math.ceil((shown.length - whole.length) / STEPS_MAX));
  const between: Cidr[] = [];
  for (let { length } = shown; length > whole.length; length -= step)
    between.unshift(around(shown.bits, shown.base, length));
  return (
    <nav aria-label="Networks around this one" class="path">
      {[whole, ...between].map((cidr) =>
        cidr.length === shown.length ? (
          <strong key={cidr.length} aria-current="true">
            {cidrText(cidr)}
          </strong>
        ) : (
          <button key={cidr.length} type="button" class="plain" onClick={() => show(cidr)}>
            {cidrText(cidr)}
          </button>
        ),
      )}
    </nav>
  );
}

/** Remembers the last result of a function. */
function remembered<In, Out>(work: (input: In) => Out): (input: In) => Out {
  let last: { readonly input: In; readonly output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: work(input) };
    return last.output;
  };
}
