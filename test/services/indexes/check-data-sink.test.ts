import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { checkDataSink } from '#src/services/indexes/check-data-sink.ts';

const ctx = createContext(env, { waitUntil() {} });

it('the managed index answers', async () => {
  expect(await checkDataSink(ctx, null)).toMatchObject({
    success: true,
    message: expect.stringContaining('managed'),
  });
});

it('a managed index that never answers is not waited for', async () => {
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

it('a component that the kind has no field of is refused with a reason', async () => {
  const answer = await checkDataSink(ctx, { sink_type: 'VENDOR_G', component: { anything: 'x' } });
  const message = expect.stringContaining('no field that VENDOR_G knows');
  expect(answer).toMatchObject({ success: false, message });
});

it('a malformed component is named field by field', async () => {
  await expect(checkDataSink(ctx, { sink_type: 'VENDOR_G', component: { url: 1 } })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('url'),
  });
});
