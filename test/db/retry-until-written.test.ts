import { expect, it } from 'vitest';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';

it('retries until the write returns a row', async () => {
  const outcomes = [undefined, undefined, 'row', 'later'];
  expect(await retryUntilWritten(async () => outcomes.shift())).toBe('row');
  expect(outcomes).toEqual(['later']);
});

it('fails with a retryable error if every attempt loses the race', async () => {
  let attempts = 0;
  const overtaken = retryUntilWritten(async () => {
    attempts += 1;
    return undefined;
  });
  await expect(overtaken).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(attempts).toBeGreaterThan(1);
});

it('rethrows other errors', async () => {
  const failure = new Error('no such thing');
  await expect(retryUntilWritten(() => Promise.reject(failure))).rejects.toBe(failure);
});
