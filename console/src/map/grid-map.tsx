import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { addressText, type Cidr, cidrText, type Stretch } from "../network/cidr.ts";
import { useScheme } from "../state/scheme.ts";
import { type Grid, gridOf, indexAt, indexOf, movedBy, tileAt, tilesOf } from "./grid.ts";
import type { Looks } from "./looks.ts";
import { paint } from "./paint.ts";
import { useDrag } from "./use-drag.ts";

export interface GridMapProps {
  /** The name of the map, for a screen reader. */
  readonly label: string;
  readonly shown: Stretch;
  /** The prefix length of what a tile shows at best. */
  readonly itemLength: number;
  /** Returns the looks of the tiles of a grid, anew for each change of what they show. */
  looksOn(grid: Grid): Looks;
  /** Returns a sentence about a tile. */
  describe(grid: Grid, index: number): string;
  open(tile: Cidr, grid: Grid): void;
  /** Shows the surroundings of a tile, larger or smaller, or other addresses of the whole; absent if the map has one size. */
  readonly zoom?: {
    readonly whole: Cidr;
    in(tile: Cidr, grid: Grid): void;
    out(): void;
    move(to: Stretch): void;
  };
}

/** A click on a smaller tile zooms, because it may have missed its neighbour. */
const HIT_PX_MIN = 14;
const GUTTER_PX = 116;
const GUTTER_MAP_PX_MIN = 640;
/** The least distance of two addresses in the margin. */
const LABEL_PX_MIN = 22;

/**
 * A map of the parts of a network, as a grid on a canvas. A pointer and the keys move over it, Enter opens a tile, and
 * a sentence below says what the tile has. A map that shows a part of the whole moves by rows, after the pointer or the keys.
 */
export function GridMap(props: GridMapProps) {
  const { label, shown, itemLength, looksOn, describe, open, zoom } = props;
  const scheme = useScheme();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const gutter = width >= GUTTER_MAP_PX_MIN ? GUTTER_PX : 0;
  const { bits, base, length } = shown;
  const whole = zoom && shown.length > zoom.whole.length ? zoom.whole : undefined;
  // The rows by which the map has moved, until the pointer or the key lets go.
  const [rows, setRows] = useState(0);
  const grid = useMemo(() => {
    if (width <= 0) return undefined;
    const still = gridOf({ bits, base, length }, itemLength, width - gutter);
    return whole && rows !== 0 ? movedBy(still, rows, whole) : still;
  }, [bits, base, length, itemLength, width, gutter, whole, rows]);
  const [cursor, setCursor] = useState<Cidr | undefined>(undefined);
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const [isFocused, setIsFocused] = useState(false);
  const settle = () => {
    if (rows !== 0 && grid) zoom?.move(grid.shown);
    setRows(0);
  };
  const dragged = useDrag((y) => {
    if (grid) setRows(-Math.round(y / grid.tileHeight));
  }, settle);

  useLayoutEffect(() => {
    if (!grid || !canvas.current) return undefined;
    const { current } = canvas;
    const waiting = requestAnimationFrame(() => paint(current, grid, looksOn(grid)));
    return () => cancelAnimationFrame(waiting);
  }, [grid, looksOn, scheme]);

  useWheel(frame, (event, x, y) => {
    const index = grid && indexAt(grid, x - gutter, y);
    if (!zoom || !grid) return;
    if (event.deltaY > 0) zoom.out();
    else if (index !== undefined) zoom.in(tileAt(grid, index), grid);
  });

  const at = (grid && cursor && indexOf(grid, cursor)) ?? 0;
  const told = hovered ?? (isFocused ? at : undefined);
  /** Moves the cursor, and the map if the tile is above it or below. */
  const go = (from: Grid, next: number) => {
    const isInside = next >= 0 && next < tilesOf(from);
    if (!isInside && !whole) return;
    const row = Math.floor(next / from.columns);
    const by = isInside ? 0 : row < 0 ? row : row - from.rows + 1;
    const to = whole ? movedBy(from, by, whole) : from;
    if (by !== 0 && to.shown.base === from.shown.base) return;
    setRows(rows + by);
    setCursor(tileAt(to, indexOf(to, tileAt(from, next)) ?? at));
  };
  const press = (event: KeyboardEvent) => {
    if (!grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moved(event.key, at, grid);
    if (next !== undefined) go(grid, next);
    else if (event.key === "Enter" || event.key === " ") open(tileAt(grid, at), grid);
    else if (zoom && (event.key === "+" || event.key === "=")) zoom.in(tileAt(grid, at), grid);
    else if (zoom && (event.key === "-" || event.key === "Escape")) zoom.out();
    else return;
    event.preventDefault();
    setHovered(undefined);
  };
  const pointed = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    return grid && box
      ? indexAt(grid, event.clientX - box.left, event.clientY - box.top)
      : undefined;
  };
  return (
    <div class="map">
      <div
        ref={frame}
        class="map-frame"
        role="application"
        aria-roledescription="map"
        aria-label={label}
        aria-describedby="map-keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is one stop, and its keys move inside it
        tabIndex={0}
        onKeyDown={press}
        onKeyUp={settle}
        onFocus={() => setIsFocused(true)}
        onBlur={() => {
          setIsFocused(false);
          settle();
        }}
      >
        {grid && gutter > 0 && <RowAddresses grid={grid} width={gutter} />}
        {grid && (
          <div
            class={whole ? "map-tiles is-part" : "map-tiles"}
            style={{ width: px(grid.columns * grid.tileWidth) }}
            {...(whole && dragged)}
          >
            <canvas
              ref={canvas}
              style={{
                width: px(grid.columns * grid.tileWidth),
                height: px(grid.rows * grid.tileHeight),
              }}
              onMouseMove={(event) => setHovered(pointed(event))}
              onMouseLeave={() => setHovered(undefined)}
              onClick={(event) => {
                const index = pointed(event);
                if (index === undefined) return;
                setCursor(tileAt(grid, index));
                const isSmall = Math.min(grid.tileWidth, grid.tileHeight) < HIT_PX_MIN;
                if (zoom && (event.shiftKey || isSmall)) zoom.in(tileAt(grid, index), grid);
                else open(tileAt(grid, index), grid);
              }}
            />
            {isFocused && <Frame grid={grid} index={at} kind="cursor" />}
            {hovered !== undefined && <Frame grid={grid} index={hovered} kind="hover" />}
          </div>
        )}
      </div>
      <p class="map-told" aria-live="polite">
        {grid && told !== undefined ? describe(grid, told) : " "}
      </p>
      <p id="map-keys" class="hint">
        Point at a tile to read about it, and click to open it. Arrow keys move, Enter opens
        {zoom ? ". To zoom, press + or −, turn the wheel with Ctrl, or click a small tile." : "."}
        {whole && " Drag the map up or down to see more, or keep moving with the keys."}
      </p>
    </div>
  );
}

function Frame({ grid, index, kind }: { grid: Grid; index: number; kind: "cursor" | "hover" }) {
  const { columns, tileWidth, tileHeight } = grid;
  return (
    <div
      class={`map-${kind}`}
      style={{
        left: px((index % columns) * tileWidth),
        top: px(Math.floor(index / columns) * tileHeight),
        width: px(tileWidth),
        height: px(tileHeight),
      }}
    />
  );
}

const px = (length: number) => `${length}px`;

/** The first addresses of rows, in the margin. */
function RowAddresses({ grid, width }: { grid: Grid; width: number }) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(LABEL_PX_MIN / grid.tileHeight)));
  const rows = Array.from({ length: Math.ceil(grid.rows / step) }, (_, i) => i * step);
  return (
    <div class="map-rows" style={{ width: px(width) }} aria-hidden="true">
      {rows.map((row) => (
        <span
          key={row}
          style={{ top: px(row * grid.tileHeight) }}
          title={cidrText(tileAt(grid, row * grid.columns))}
        >
          {tailOf(addressText(tileAt(grid, row * grid.columns)))}
        </span>
      ))}
    </div>
  );
}

const LABEL_CHARACTERS_MAX = 15;

/** Returns an address, or the last part of a long one, which tells it from the others. */
const tailOf = (address: string) =>
  address.length > LABEL_CHARACTERS_MAX ? `…${address.slice(1 - LABEL_CHARACTERS_MAX)}` : address;

/** Returns the tile that a key leads to. It can be in a row above the map or below it. */
function moved(key: string, at: number, grid: Grid): number | undefined {
  const { columns, rows } = grid;
  const row = Math.floor(at / columns);
  const column = at % columns;
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: row * columns,
    End: row * columns + columns - 1,
    PageUp: row > 0 ? column : at - rows * columns,
    PageDown: row < rows - 1 ? (rows - 1) * columns + column : at + rows * columns,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

function useWidth(of: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!of.current) return undefined;
    const { current } = of;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    setWidth(current.clientWidth);
    observer.observe(current);
    return () => observer.disconnect();
  }, [of]);
  return width;
}

/** Answers the wheel with Ctrl, as pinching on a touchpad does. Without Ctrl the page scrolls. */
function useWheel(
  of: { current: HTMLElement | null },
  turn: (event: WheelEvent, x: number, y: number) => void,
): void {
  const latest = useRef(turn);
  latest.current = turn;
  useEffect(() => {
    if (!of.current) return undefined;
    const { current } = of;
    let lastAtMs = Number.NEGATIVE_INFINITY;
    const turned = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      // One gesture is many events, and one step of the zoom.
      if (event.timeStamp - lastAtMs < 250) return;
      lastAtMs = event.timeStamp;
      const box = current.getBoundingClientRect();
      latest.current(event, event.clientX - box.left, event.clientY - box.top);
    };
    current.addEventListener("wheel", turned, { passive: false });
    return () => current.removeEventListener("wheel", turned);
  }, [of]);
}
