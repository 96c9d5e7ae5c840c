import { type Engine, floats } from './engine.ts';

export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix that applies `inner` first and `outer` afterwards. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

export const mapPoint = ([a, b, c, d, e, f]: Matrix, x: number, y: number) =>
  [a * x + c * y + e, b * x + d * y + f] as const;

/** Reads the matrix of a page object. */
export function readMatrix(engine: Engine, object: number): Matrix {
  const { raw, scratch } = engine;
  if (!raw.FPDFPageObj_GetMatrix(object, scratch)) return IDENTITY;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = floats(engine, 6);
  return [a, b, c, d, e, f];
}
