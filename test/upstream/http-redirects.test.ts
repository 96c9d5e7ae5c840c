import { describe, expect, it } from 'vitest';
import { BadRequest } from '#src/lib/errors.ts';
import { base, caught, elsewhere, newId, open, path, seen } from './http-client.ts';

describe('redirects', () => {
  const strict = { settings: { ALLOW_PRIVATE_ADDRESSES: false } };

  it('are rejected unless enabled, and the target is not called', async () => {
    const id = newId();
    const error = await caught(open().fetch(path('redirect', { to: path('ok', { id }) })));
    expect(error.message).toContain(`redirects to ${base}, and redirects are not allowed`);
    expect([error.retryable, error.status]).toEqual([false, 302]);
    const manual = await open({ redirects: 'manual' }).fetch(path('redirect', { to: path('ok', { id }) }));
    expect(manual.status).toBe(302);
    await manual.body?.cancel();
    expect(await seen(id)).toEqual([]);
  });

  it('drop headers when they leave the origin, even after returning', async () => {
    const id = newId();
    const back = path('ok', { id });
    const away = path('redirect', { id, to: back }, elsewhere);
    const same = path('redirect', { id, to: away });
    const http = open({ redirects: 'follow' });
    const response = await http.fetch(same, { headers: { authorization: 'Bearer s3cret-token' } });
    expect(await http.text(response)).toBe('fine');
    expect(response.url).toBe(back);
    const sent = (await seen(id)).map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer s3cret-token', undefined, undefined]);
  });

  it.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'the body'],
    [308, 'POST', 'the body'],
  ])('of %i to the same origin send %s', async (status, method, body) => {
    const id = newId();
    const http = open({ redirects: 'follow' });
    const init = { method: 'POST', body: 'the body' };
    await http.text(await http.fetch(path('redirect', { status, to: path('ok', { id }) }), init));
    expect(await seen(id)).toMatchObject([{ method, body }]);
  });

  it('never send a body to another origin', async () => {
    const id = newId();
    const to = path('ok', { id }, elsewhere);
    const init = { method: 'POST', body: 'client_secret=abc' };
    const error = await caught(
      open({ redirects: 'follow' }).fetch(path('redirect', { status: 307, to }), init),
    );
    expect(error.message).toContain('redirects a request with a body');
    expect(await seen(id)).toEqual([]);
  });

  it('stop in a cycle', async () => {
    const id = newId();
    const error = await caught(open({ redirects: 'follow' }).fetch(path('circle', { id })));
    expect(error.message).toContain('redirects more than 5 times');
    expect(await seen(id)).toHaveLength(6);
  });

  it('of a trusted address may lead to public addresses only', async () => {
    const id = newId();
    const http = open({ ...strict, trusted: true, redirects: 'follow' });
    expect(await http.text(await http.fetch(path('redirect', { to: '/ok' })))).toBe('fine');
    const error = await caught(http.fetch(path('redirect', { to: path('ok', { id }, elsewhere) })));
    expect(error).toBeInstanceOf(BadRequest);
    expect(error.message).toContain('not public');
    expect(await seen(id)).toEqual([]);
  });

  it('do not matter for a private address, which is rejected at once', async () => {
    expect(await caught(open(strict).fetch(path('ok')))).toBeInstanceOf(BadRequest);
    expect(
      await open(strict)
        .fetch('file:///etc/passwd')
        .catch((error) => error),
    ).toBeInstanceOf(BadRequest);
  });
});
