import { expect, it } from 'vitest';
import { untilWritten } from '#src/db/until-written.ts';

it('tries until the row is written', async () => {
  const outcomes = [undefined, undefined, 'row', 'later'];
  expect(await untilWritten(async () => outcomes.shift())).toBe('row');
  expect(outcomes).toEqual(['later']);
});

it('ends with what may be tried later when others never let it', async () => {
  let attempts = 0;
  const overtaken = untilWritten(async () => {
    attempts += 1;
    return undefined;
  });
  await expect(overtaken).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(attempts).toBeGreaterThan(1);
});

it('passes on what is wrong', async () => {
  const failure = new Error('no such thing');
  await expect(untilWritten(() => Promise.reject(failure))).rejects.toBe(failure);
});
