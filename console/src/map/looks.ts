/** The look of a tile. */
export interface Look {
  /** A colour of CSS. */
  readonly colour: string;
  /** The share of the tile that `level` covers from below, from 0 to 1, in the colour of the level. The tile has an outline of it. */
  readonly level?: { readonly share: number; readonly colour: string };
  readonly ink?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly isDim?: boolean;
}

/** The looks of a map's tiles. */
export interface Looks {
  /** Returns the look of a tile; nothing for one that has nothing. */
  look(index: number): Look | undefined;
  /** The look of a tile that has nothing. */
  readonly nothing: Look;
}
