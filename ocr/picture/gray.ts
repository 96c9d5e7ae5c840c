/** Gray picture with one byte per pixel, in rows from the top. 0 is black. */
export interface Gray {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Rectangle in pixels. */
export interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Number of quarter turns clockwise. */
export type Turns = 0 | 1 | 2 | 3;

/** Turns a picture clockwise. */
export function turnPicture(picture: Gray, turns: Turns): Gray {
  if (turns === 0) return picture;
  const { width, height, data } = picture;
  const turned = new Uint8Array(data.length);
  if (turns === 2) {
    for (let at = 0, to = data.length - 1; at < data.length; at++, to--) turned[to] = data[at]!;
    return { width, height, data: turned };
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = turns === 1 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      turned[to] = data[y * width + x]!;
    }
  }
  return { width: height, height: width, data: turned };
}

/** Mirrors a picture from left to right. */
export function mirrorPicture({ width, height, data }: Gray): Gray {
  const mirrored = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) mirrored[y * width + x] = data[y * width + width - 1 - x]!;
  }
  return { width, height, data: mirrored };
}

/** EXIF orientations as a mirror and quarter turns clockwise, in the order of their values from 1. */
const ORIENTATIONS: readonly (readonly [isMirrored: boolean, turns: Turns])[] = [
  [false, 0],
  [true, 0],
  [false, 2],
  [true, 2],
  [true, 3],
  [false, 1],
  [true, 1],
  [false, 3],
];

/** Turns a stored picture into the position in which the camera's EXIF orientation shows it. */
export function applyOrientation(picture: Gray, orientation: number): Gray {
  const [isMirrored, turns] = ORIENTATIONS[orientation - 1] ?? [false, 0 as Turns];
  return turnPicture(isMirrored ? mirrorPicture(picture) : picture, turns);
}

/** Cuts out a part of a picture. Parts of the area outside the picture are ignored. */
export function cropPicture({ width, height, data }: Gray, area: Area): Gray {
  const left = Math.min(width - 1, Math.max(0, Math.floor(area.x)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(area.y)));
  const right = Math.max(left + 1, Math.min(width, Math.ceil(area.x + area.w)));
  const bottom = Math.max(top + 1, Math.min(height, Math.ceil(area.y + area.h)));
  const cut = new Uint8Array((right - left) * (bottom - top));
  for (let y = top; y < bottom; y++)
    cut.set(data.subarray(y * width + left, y * width + right), (y - top) * (right - left));
  return { width: right - left, height: bottom - top, data: cut };
}

/** Encodes a picture as a file in the format "portable graymap", which is not compressed. */
export function encodePgm({ width, height, data }: Gray): Uint8Array {
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.length + data.length);
  file.set(header);
  file.set(data, header.length);
  return file;
}
