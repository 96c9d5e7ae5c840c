import type { TiffDirectory } from './directories.ts';

/** A strip or tile as a separate TIFF file, with the position of its first pixel on the page. */
export interface TiffPiece {
  x: number;
  y: number;
  bytes: Uint8Array;
  directory: TiffDirectory;
}

const TILE_TAGS = ['t322', 't323', 't324', 't325'];
/** Maximum size of an uncompressed strip in bytes. Longer strips, which may span the whole page, are cut. */
const MAX_STRIP_BYTES = 4_000_000;

export const countRowBytes = ({ tags }: TiffDirectory, width: number) =>
  Math.ceil((width * (tags.t258?.[0] ?? 1) * (tags.t277?.[0] ?? 1)) / 8);

/** Yields the strips of a page from the top, or its tiles row by row. */
export function* iterateTiffPieces(bytes: Uint8Array, page: TiffDirectory): Generator<TiffPiece> {
  const { tags, width, height } = page;
  const own = Object.fromEntries(Object.entries(tags).filter(([tag]) => !TILE_TAGS.includes(tag)));
  const piece = (
    x: number,
    y: number,
    across: number,
    down: number,
    from: number,
    count: number,
  ): TiffPiece => {
    const file = new Uint8Array(8 + count);
    file.set(bytes.subarray(0, 8));
    file.set(bytes.subarray(from, from + count), 8);
    const placed = { t256: [across], t257: [down], t273: [8], t278: [down], t279: [count] };
    return { x, y, bytes: file, directory: { width: across, height: down, tags: { ...own, ...placed } } };
  };
  const [tileWidth, tileHeight] = [tags.t322?.[0], tags.t323?.[0]];
  if (tileWidth && tileHeight) {
    const across = Math.ceil(width / tileWidth);
    for (let index = 0; index < across * Math.ceil(height / tileHeight); index++) {
      const [x, y] = [(index % across) * tileWidth, Math.floor(index / across) * tileHeight];
      const count = tags.t325?.[index] ?? countRowBytes(page, tileWidth) * tileHeight;
      yield piece(x, y, tileWidth, tileHeight, tags.t324?.[index] ?? 0, count);
    }
    return;
  }
  const perRow = countRowBytes(page, width);
  const strip = Math.max(1, Math.min(height, tags.t278?.[0] ?? height));
  const isPlain = (tags.t259?.[0] ?? 1) === 1;
  const rows = isPlain ? Math.min(strip, Math.max(1, Math.floor(MAX_STRIP_BYTES / perRow))) : strip;
  for (let top = 0, index = 0; top < height; top += strip, index++) {
    const bottom = Math.min(height, top + strip);
    const from = tags.t273?.[index] ?? 0;
    for (let y = top; y < bottom; y += rows) {
      const down = Math.min(rows, bottom - y);
      const count = isPlain ? perRow * down : (tags.t279?.[index] ?? 0);
      yield piece(0, y, width, down, isPlain ? from + (y - top) * perRow : from, count);
    }
  }
}
