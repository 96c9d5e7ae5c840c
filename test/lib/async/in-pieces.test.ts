import { expect, it } from 'vitest';
import { atOnce, type Pieces, withPauses } from '#src/lib/async/in-pieces.ts';

function* counting(pieces: number, weight: number): Pieces<number> {
  for (let piece = 0; piece < pieces; piece += 1) yield weight;
  return pieces;
}

it('processes all pieces and pauses after each time slice', async () => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  expect(await withPauses(counting(40, 1 / 8), pause)).toBe(40);
  expect(pauses).toBe(5);
  expect(await withPauses(counting(3, 20), pause)).toBe(3);
  expect(pauses).toBe(8);
  expect(atOnce(counting(40, 1))).toBe(40);
});

it('stops when a pause rejects', async () => {
  const refuse = async () => {
    throw new Error('cancelled');
  };
  await expect(withPauses(counting(4, 1), refuse)).rejects.toThrow('cancelled');
});
