import { useCallback, useMemo } from "preact/hooks";
import {
  after,
  around,
  type Cidr,
  cidrText,
  type Stretch,
  stretchText,
  within,
} from "../network/cidr.ts";
import { useNavigation } from "../state/navigation.tsx";
import { useScheme } from "../state/scheme.ts";
import { blockLooks, blockSentence, type Seen } from "./block-looks.ts";
import { closer, farther, type Grid, tileAt } from "./grid.ts";
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
  readonly shown: Stretch;
  /** The network that the map shows if the address of the page names none. */
  readonly usual: Cidr;
  readonly parts: readonly Part[];
  /** The prefix length of the parts. */
  readonly itemLength: number;
  /** True if the parts are not all of what it shows. */
  readonly isReading?: boolean;
}

/** The blocks of a pool, as a grid that zooms and moves. What it shows is in the address of the page. */
export function BlockMap(props: BlockMapProps) {
  const { name, whole, blockLength, by, shown, usual, parts, itemLength, isReading } = props;
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
  const show = (next: Stretch, kept = true) =>
    see({ within: cidrText(next) === cidrText(usual) ? "" : cidrText(next) }, kept);
  const move = (to: Stretch) => show(to, false);
  return (
    <>
      {shown.length > whole.length && (
        <div class="row">
          <Path whole={whole} shown={shown} show={show} />
          <button type="button" onClick={() => show(farther(shown, whole))}>
            Zoom out
          </button>
          <Neighbour name="Earlier" whole={whole} shown={shown} by={-1} move={move} />
          <Neighbour name="Later" whole={whole} shown={shown} by={1} move={move} />
        </div>
      )}
      {by === "fill" ? (
        <FillLegend parts={parts} chosen={fill} choose={(next) => see({ fill: next })} />
      ) : (
        <HostLegend hosts={hosts} chosen={host} choose={(next) => see({ host: next })} />
      )}
      <GridMap
        label={`Blocks of ${name} in ${stretchText(shown)}`}
        shown={shown}
        itemLength={itemLength}
        looksOn={looksOn}
        describe={(grid, index) => {
          const tile = tilesOn(grid)[index];
          if (isReading && !tile) return `${cidrText(tileAt(grid, index))} is not read yet.`;
          return blockSentence(grid, index, tile, blockLength);
        }}
        open={(tile) => {
          if (tile.length < blockLength) show(tile);
          else open({ kind: "block", name: cidrText(tile) });
        }}
        zoom={{
          whole,
          move,
          in: (tile, grid) => show(closer(grid, blockLength, tile)),
          out: () => show(farther(shown, whole)),
        }}
      />
    </>
  );
}

/** A button that moves the map by all that it shows, for those who do not drag. */
function Neighbour(props: {
  readonly name: string;
  readonly whole: Cidr;
  readonly shown: Stretch;
  readonly by: number;
  move(to: Stretch): void;
}) {
  const { name, whole, shown, by, move } = props;
  const to = within(whole, after(shown, by));
  return (
    <button type="button" disabled={to.base === shown.base} onClick={() => move(to)}>
      {name}
    </button>
  );
}

const STEPS_MAX = 4;

/** The networks around what is shown, each one a way out. */
function Path({ whole, shown, show }: { whole: Cidr; shown: Stretch; show(cidr: Cidr): void }) {
  const step = Math.max(1, Math.ceil((shown.length - whole.length) / STEPS_MAX));
  const between: Cidr[] = [];
  for (let { length } = shown; length > whole.length; length -= step)
    between.unshift(around(shown.bits, shown.base, length));
  return (
    <nav aria-label="Networks around this one" class="path">
      {[whole, ...between].map((cidr) =>
        cidr.length === shown.length ? (
          <strong key={cidr.length} aria-current="true">
            {stretchText(shown)}
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
