import type { Pixels } from './png.ts';

/** Rotates and mirrors pixels for display according to an EXIF or TIFF orientation from 1 to 8. */
export function applyOrientation(pixels: Pixels, orientation: number): Pixels {
  if (orientation < 2 || orientation > 8) return pixels;
  const { width, height, channels, data } = pixels;
  const isRotated = orientation >= 5;
  const [across, down] = isRotated ? [height, width] : [width, height];
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const rotated = new Uint8Array(data.length);
  let to = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const [column, row] = isRotated ? [y, x] : [x, y];
      const from = (fromBottom ? height - 1 - row : row) * width + (fromRight ? width - 1 - column : column);
      for (let channel = 0; channel < channels; channel++) rotated[to++] = data[from * channels + channel]!;
    }
  }
  return { width: across, height: down, channels, data: rotated };
}
