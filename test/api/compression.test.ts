import { describe, expect, it } from 'vitest';
import { withCompression } from '#src/api/http/page-headers.ts';

const SCRIPT = 'export const quay = "north";\n'.repeat(100);

function serve(
  accepted: string | undefined,
  { type = 'text/javascript', status = 200, method = 'GET' } = {},
) {
  const headers = { 'content-type': type, 'content-length': String(SCRIPT.length), etag: '"quay"' };
  const request = new Request('https://sluice.example/console/assets/quay.js', {
    method,
    ...(accepted !== undefined && { headers: { 'accept-encoding': accepted } }),
  });
  const body = method === 'HEAD' || status === 304 ? null : SCRIPT;
  return withCompression(new Response(body, { status, headers }), request).headers;
}

describe('compression of static files', () => {
  it.each(['gzip', 'br, gzip', 'GZIP;q=0.5, br', '*', 'deflate, *;q=0.1'])('is used for %s', (accepted) => {
    const headers = serve(accepted);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('vary')).toBe('accept-encoding');
    expect(headers.get('content-length')).toBeNull();
    expect(headers.get('etag')).toBe('W/"quay"');
  });

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.000, *', '*;q=0', 'xgzip'])(
    'is not used for %s, but caches are told that answers differ',
    (accepted) => {
      const headers = serve(accepted);
      expect(headers.get('content-encoding')).toBeNull();
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('etag')).toBe('"quay"');
    },
  );

  it.each([
    { type: 'image/png' },
    { type: 'font/woff2' },
    { status: 206 },
    { status: 304 },
    { method: 'HEAD' },
  ])('leaves other answers as they are: %o', (answer) => {
    const headers = serve('gzip', answer);
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('etag')).toBe('"quay"');
  });
});
