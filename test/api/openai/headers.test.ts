import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { startWith } from '#test/support/configured.ts';
import { BASE } from '#test/support/fetch-service.ts';

const ORIGIN = 'https://chat.example';
const authorization = `Bearer ${String(env.BOOTSTRAP_API_KEY)}`;

describe('a web page of another origin', () => {
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    startWith({ ALLOWED_ORIGINS: ORIGIN })(new Request(BASE + path, { method, headers }));

  it('may call the protocol if ALLOWED_ORIGINS lists its origin', async () => {
    const preflight = await ask('OPTIONS', '/openai/v1/chat/completions', {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-os',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-os');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    for (const [path, status] of [
      ['/models', 200],
      ['/models/none', 404],
    ] as const) {
      const answer = await ask('GET', `/openai/v1${path}`, { origin: ORIGIN, authorization });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(answer.headers.get('vary')).toContain('Origin');
    }
  });

  it('may not otherwise, and never calls the rest of the API', async () => {
    for (const origin of ['https://other.example', `${ORIGIN}.evil.example`, 'null']) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await ask('OPTIONS', '/openai/v1/chat/completions', headers);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const other = await ask('GET', '/api/v1/pipelines', { origin: ORIGIN, authorization });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('slashes at the end of a path are ignored in this protocol alone', async () => {
  const service = startWith({});
  const get = async (path: string) =>
    (await service(new Request(BASE + path, { headers: { authorization } }))).status;
  expect(await get('/openai/v1/models/')).toBe(200);
  expect(await get('/openai/v1/models//')).toBe(200);
  expect(await get('/api/v1/pipelines/')).toBe(404);
});
