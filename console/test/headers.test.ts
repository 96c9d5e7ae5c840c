import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';

const service = new Service();

beforeAll(() => service.start());
afterAll(() => service.end());

const get = (path: string) => fetch(service.base + path, { redirect: 'manual' });

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

describe('console URLs', () => {
  it.each(['/', '/console'])('%s redirects to the console', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(302);
    expect(new URL(answer.headers.get('location')!, service.base).pathname).toBe('/console/');
  });

  it.each([
    '/console/',
    '/console/indexes',
    '/console/indexes/not-there/chat?session=x',
    '/console/../console/keys',
  ])('%s returns the page with its security policy and no caching', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
    const policy = answer.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(expect.arrayContaining(POLICY));
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  it('have hashed names for scripts and styles, which are cached permanently', async () => {
    const page = await (await get('/console/')).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each(['/console/assets/index-unknown.js', '/console/assets/', '/console/assets/../../.dev.vars'])(
    '%s returns no file outside of the assets',
    async (path) => {
      const answer = await get(path);
      const text = await answer.text();
      expect(text).not.toContain('BOOTSTRAP_API_KEY=');
      if (new URL(path, service.base).pathname.startsWith('/console/assets/')) {
        expect(answer.status).toBe(404);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    },
  );
});
