import type { ReadWord } from '../table.ts';
import { type Gray, type Turns, turnPicture } from './gray.ts';
import { resizePicture } from './resize.ts';
import { rotatePicture, unrotatePoint } from './skew.ts';

/** How a picture is changed before it is recognized, in this order. */
export interface Placement {
  turns: Turns;
  /** Factor by which the picture is enlarged. */
  scale: number;
  /** Inclination of the lines in degrees clockwise, which is undone. */
  skew: number;
}

/** Returns the picture as the engine recognizes it. */
export function placePicture(picture: Gray, { turns, scale, skew }: Placement): Gray {
  const turned = turnPicture(picture, turns);
  const [width, height] = [turned.width, turned.height].map((side) => Math.max(1, Math.round(side * scale)));
  const resized = resizePicture(turned, width!, height!);
  return skew === 0 ? resized : rotatePicture(resized, skew);
}

/** Returns a word of the placed picture with its box in the original picture. */
export function toOriginalWord(
  word: ReadWord,
  original: Gray,
  placed: Gray,
  { turns, scale, skew }: Placement,
): ReadWord {
  const middle =
    skew === 0
      ? { x: word.x + word.w / 2, y: word.y + word.h / 2 }
      : unrotatePoint(placed, skew, word.x + word.w / 2, word.y + word.h / 2);
  const [x, y] = [middle.x / scale, middle.y / scale];
  const [w, h] = [word.w / scale, word.h / scale];
  const { width, height } = original;
  if (turns === 0) return { ...word, ...frameAround(x, y, w, h) };
  if (turns === 2) return { ...word, ...frameAround(width - x, height - y, w, h) };
  return turns === 1
    ? { ...word, ...frameAround(y, height - x, h, w) }
    : { ...word, ...frameAround(width - y, x, h, w) };
}

const frameAround = (x: number, y: number, w: number, h: number) => ({
  x: Math.round(x - w / 2),
  y: Math.round(y - h / 2),
  w: Math.round(w),
  h: Math.round(h),
});
