import { describe, expect, it, vi } from 'vitest';
import { MAX_DISCARDED_BYTES } from '#src/api/http/middleware.ts';
import { BASE, call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { createPipeline } from '#test/support/pipelines.ts';

interface Failure {
  detail: string | { loc: (string | number)[]; msg: string; type: string }[];
  code: string;
  request_id: string;
  retryable: boolean;
}

describe('every request', () => {
  it('has a request id, which the client can choose', async () => {
    const own = await call('GET', '/health', { headers: { 'x-request-id': 'trace-me-1234' } });
    expect(own.headers.get('x-request-id')).toBe('trace-me-1234');
    const made = await call('GET', '/health');
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const hostile = await call('GET', '/health', { headers: { 'x-request-id': 'a"b{}' } });
    expect(hostile.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers 500 in the error format for an invalid setting, and names the setting only in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const service = startWith({ MAX_FILE_MIB: 'many' });
      for (const path of ['/health', '/api/v1/pipelines', '/nothing']) {
        const request = new Request(`${BASE}${path}`, { headers: { 'x-request-id': 'trace-me-1234' } });
        const answer = await service(request);
        expect(answer.status).toBe(500);
        expect(answer.headers.get('x-request-id')).toBe('trace-me-1234');
        const body = await answer.text();
        expect(JSON.parse(body)).toMatchObject({ code: 'internal', request_id: 'trace-me-1234' });
        expect(body).not.toContain('MAX_FILE_MIB');
        const line = String(log.mock.lastCall?.[0]);
        expect(line).toContain('MAX_FILE_MIB');
        expect(line).toContain('trace-me-1234');
        expect(line).not.toContain('many');
      }
    } finally {
      log.mockRestore();
    }
  });

  it('answers 404 in the error format for an unknown path', async () => {
    const answer = await call<Failure>('GET', '/api/v1/nothing');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'not_found', retryable: false });
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  });

  it('rejects malformed JSON with 422', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await call<Failure>('POST', '/api/v1/pipelines', { headers, raw: '{"name": ' });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([
      { loc: ['body'], type: 'json_invalid', msg: expect.stringContaining('not valid JSON') },
    ]);
  });

  it.each([
    ['POST', '/api/v1/session', 5_000],
    ['POST', '/api/v1/pipelines', 33 * 1024 * 1024],
    ['PUT', '/api/v1/pipelines/{id}/metadata', 90 * 1024 * 1024],
  ])('stops reading %s %s once the body is too long', async (method, path, bytes) => {
    let sent = 0;
    const raw = new ReadableStream<Uint8Array>({
      pull(controller) {
        // Without the limit, the client would send ten times as much.
        if (sent > bytes * 10 + 2 * MAX_DISCARDED_BYTES) return controller.close();
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const type = path.endsWith('metadata') ? 'multipart/form-data; boundary=b' : 'application/json';
    const target = path.replace('{id}', path.includes('{id}') ? await createPipeline() : '');
    const answer = await call<Failure>(method, target, { headers: { 'content-type': type }, raw });
    expect(answer.status).toBe(413);
    // The service reads and drops a limited number of further bytes, so that the client can read the answer.
    expect(sent).toBeLessThan(bytes * 2 + 1_000_000 + MAX_DISCARDED_BYTES);
  });

  it('rejects other content types with 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    const json = await call<Failure>('POST', '/api/v1/pipelines', { headers, raw: '{"name":"x"}' });
    expect(json.status).toBe(415);
    const multipart = await call<Failure>('POST', '/api/v1/files', { body: {} });
    expect(multipart.status).toBe(415);
    expect(multipart.body.detail).toContain('multipart/form-data');
  });

  it('answers 422 with the location and the type of every issue', async () => {
    const body = { name: 7, embedding_model_config_id: 'no-uuid' };
    const answer = await call<Failure>('POST', '/api/v1/pipelines', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ loc: ['body', 'name'], type: 'string_type' }),
        expect.objectContaining({ loc: ['body', 'embedding_model_config_id'] }),
      ]),
    );
    const missing = await call<Failure>('POST', '/api/v1/pipelines', { body: {} });
    expect(missing.body.detail).toEqual([
      expect.objectContaining({ loc: ['body', 'name'], type: 'missing' }),
    ]);
  });

  it('validates query and path, and ignores unknown query parameters', async () => {
    const query = await call<Failure>('GET', '/api/v1/pipelines?project_id=7&pipeline_type=ODD');
    expect(query.status).toBe(422);
    expect(query.body.detail).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ loc: ['query', 'project_id'] }),
        expect.objectContaining({ loc: ['query', 'pipeline_type'], type: 'enum' }),
      ]),
    );
    const path = await call<Failure>('GET', '/api/v1/pipelines/not-a-uuid');
    expect(path.status).toBe(422);
    expect((await call('GET', '/api/v1/pipelines?colour=blue')).status).toBe(200);
  });

  it('is described in OpenAPI 3.1, with a reference page', async () => {
    const { body, status } = await call<{
      openapi: string;
      paths: Record<string, Record<string, { deprecated?: boolean; security?: unknown }>>;
      components: { schemas: object; securitySchemes: object };
    }>('GET', '/openapi.json', { key: null });
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.1.0');
    expect(body.paths['/api/v1/pipelines']?.post?.deprecated).toBe(true);
    expect(body.paths['/api/v1/pipelines/{pipeline_id}/chat']?.post?.deprecated).toBeUndefined();
    expect(body.components.securitySchemes).toHaveProperty('bearer');
    const page = await call<string>('GET', '/docs', { key: null });
    expect(page.body).toContain('swagger-ui-bundle.js');
    expect(page.body).not.toMatch(/https?:\/\//);
    const scripts = [...page.body.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path!);
    expect(scripts).toEqual(['/docs/swagger-ui-bundle.js', '/docs/start.js']);
    for (const path of scripts) {
      expect((await call<string>('GET', path, { key: null })).status).toBe(200);
    }
    const start = await call<string>('GET', '/docs/start.js', { key: null });
    expect(start.body).toContain('persistAuthorization: false');
  });

  it.each(['/docs', '/docs/start.js', '/docs/nothing.js'])(
    'allows %s to load only from its own origin',
    async (path) => {
      const { headers, body } = await call<string>('GET', path, { key: null });
      const policy = headers.get('content-security-policy')!;
      const directives = Object.fromEntries(
        policy.split('; ').map((directive) => directive.split(/ (.*)/).slice(0, 2) as [string, string]),
      );
      expect(directives).toMatchObject({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'connect-src': "'self'",
        'frame-ancestors': "'none'",
        'base-uri': "'none'",
      });
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=()');
      // Inline scripts and event handlers would be blocked by the policy.
      expect(String(body)).not.toMatch(/<script>|\son\w+=/);
    },
  );
});
