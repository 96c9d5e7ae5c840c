import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { DAY_MS } from '#src/lib/day.ts';
import { isRestoring } from '#src/services/files/restoring.ts';
import { begunProject, finishRestore } from '#test/support/backups.ts';

const bucket = env.FILES;

afterEach(() => {
  vi.restoreAllMocks();
});

it('isRestoring is true from the start of a restore until its end, for at most a week', async () => {
  expect(await isRestoring({ bucket })).toBe(false);
  const restore = await begunProject();
  expect(await isRestoring({ bucket })).toBe(true);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 8 * DAY_MS);
  expect(await isRestoring({ bucket })).toBe(false);
  vi.restoreAllMocks();
  await finishRestore(restore.id);
  expect(await isRestoring({ bucket })).toBe(false);
});
