/** Tag of a TIFF directory: id, type and values. */
export type Tag = [id: number, type: number, values: number[]];

const SIZES: Record<number, number> = { 1: 1, 3: 2, 4: 4 };

/**
 * Returns a little-endian TIFF: `data`, then directories of tags. `next` returns the position of the
 * following directory.
 */
export function tiff(
  directories: readonly Tag[][],
  data: Uint8Array = new Uint8Array(),
  next = (at: number, places: readonly number[]) => places[at + 1] ?? 0,
): Uint8Array {
  const start = 8 + data.length + (data.length % 2);
  const places: number[] = [];
  const outside = (tags: Tag[]) =>
    tags.reduce(
      (sum, [, type, values]) => sum + (values.length * SIZES[type]! > 4 ? values.length * SIZES[type]! : 0),
      0,
    );
  let end = start;
  for (const tags of directories) {
    places.push(end);
    end += 6 + tags.length * 12 + outside(tags);
    end += end % 2;
  }
  const bytes = new Uint8Array(end);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, places[0] ?? 0, true);
  bytes.set(data, 8);
  directories.forEach((tags, index) => {
    let at = places[index]!;
    let extra = at + 6 + tags.length * 12;
    view.setUint16(at, tags.length, true);
    at += 2;
    for (const [id, type, values] of tags) {
      const size = SIZES[type]! * values.length;
      view.setUint16(at, id, true);
      view.setUint16(at + 2, type, true);
      view.setUint32(at + 4, values.length, true);
      let place = at + 8;
      if (size > 4) {
        view.setUint32(at + 8, extra, true);
        place = extra;
        extra += size;
      }
      for (const value of values) {
        if (type === 1) view.setUint8(place, value);
        else if (type === 3) view.setUint16(place, value, true);
        else view.setUint32(place, value, true);
        place += SIZES[type]!;
      }
      at += 12;
    }
    view.setUint32(at, next(index, places), true);
  });
  return bytes;
}

/** Returns the tags of a page whose strips share one position. */
export function page(
  width: number,
  height: number,
  compression: number,
  bytes: number,
  strips = 1,
  bits = 8,
): Tag[] {
  return [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, [bits]],
    [259, 3, [compression]],
    [262, 3, [1]],
    [273, 4, new Array<number>(strips).fill(8)],
    [277, 3, [1]],
    [278, 4, [Math.ceil(height / strips)]],
    [279, 4, new Array<number>(strips).fill(bytes)],
  ];
}

/** Returns the tags of a page whose tiles share one position. */
export const tiled = (
  width: number,
  height: number,
  side: number,
  compression: number,
  bytes: number,
): Tag[] => {
  const tiles = Math.ceil(width / side) * Math.ceil(height / side);
  return [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, [8]],
    [259, 3, [compression]],
    [262, 3, [1]],
    [277, 3, [1]],
    [322, 4, [side]],
    [323, 4, [side]],
    [324, 4, new Array<number>(tiles).fill(8)],
    [325, 4, new Array<number>(tiles).fill(bytes)],
  ];
};
