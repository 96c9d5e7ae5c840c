import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { RateLimited, Unauthenticated } from '#src/lib/errors.ts';
import { identifyCaller } from '#src/services/tenancy/rate-limit.ts';

const ADDRESS = '192.0.2.7';
const found = { organizationId: 'org' };

/** Returns a service whose address has used up its wrong credentials, after one credential was accepted. */
async function exhaust() {
  const bindings = { ...env, ...{ RATE_LIMIT_WRONG_KEYS: '2' } };
  const ctx = createContext(bindings, { waitUntil() {} } as never);
  const identify = (credential: string, read: () => Promise<typeof found | undefined>) =>
    identifyCaller(ctx, ADDRESS, credential, read);
  expect(await identify('right', async () => found)).toBe(found);
  for (const wrong of ['a', 'b', 'c', 'd']) await identify(wrong, async () => undefined).catch(() => {});
  await expect(identify('e', async () => found)).rejects.toThrow(RateLimited);
  return identify;
}

it('keeps a credential known when its lookup fails', async () => {
  const identify = await exhaust();
  const failure = new Error('the database does not answer');
  await expect(identify('right', () => Promise.reject(failure))).rejects.toThrow(failure);
  expect(await identify('right', async () => found)).toBe(found);
});

it.each([
  ['has expired', () => Promise.reject(new Unauthenticated('expired'))],
  ['was deleted', async () => undefined],
])('forgets a credential that %s', async (_, read) => {
  const identify = await exhaust();
  await identify('right', read).catch(() => {});
  await expect(identify('right', async () => found)).rejects.toThrow(RateLimited);
});
