import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { checkDataSink } from '#src/services/indexes/check-data-sink.ts';

const ctx = createContext(env, { waitUntil() {} });

it('the managed index passes the check', async () => {
  expect(await checkDataSink(ctx, null)).toMatchObject({
    success: true,
    message: 'The data sink answers and accepts these settings.',
  });
});

it('the check of a managed index fails after the timeout', async () => {
  const silent: Context = {
    ...ctx,
    settings: { ...ctx.settings, SILENCE_SECONDS: 0.02 },
    objects: { ...ctx.objects, searchShard: () => ({ stats: () => new Promise(() => {}) }) as never },
  };
  expect(await checkDataSink(silent, null)).toMatchObject({
    success: false,
    message: expect.stringContaining('did not answer'),
  });
});

it('a component without any known field fails the check with a reason', async () => {
  const answer = await checkDataSink(ctx, { sink_type: 'VENDOR_G', component: { anything: 'x' } });
  const message = expect.stringContaining('does not match the data sink type VENDOR_G');
  expect(answer).toMatchObject({ success: false, message });
});

it('a malformed component is rejected with the name of each field', async () => {
  await expect(checkDataSink(ctx, { sink_type: 'VENDOR_G', component: { url: 1 } })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('url'),
  });
});
