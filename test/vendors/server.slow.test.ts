import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behaviour, Sample } from './behaviour.ts';
import { VendorSession } from './client.ts';
import type { Fault } from './protocol.ts';
import { Description } from './server/description.ts';
import { startVendors } from './server.ts';
import { behaviours } from './vendors.ts';

let server: Awaited<ReturnType<typeof startVendors>>;
beforeAll(async () => {
  server = await startVendors();
});
afterAll(() => server.stop());

type Member = Record<string, unknown>;

/** Converts a sample to a request to a host of the description. */
function buildRequest({ document }: Description, key: string, sample: Sample) {
  const [method, template] = key.split(' ') as [string, string];
  const fill = (text: string) =>
    text.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(sample.params?.[name] ?? 'x'));
  const url = new URL(fill(document.servers[0]!.url).replace(/\/+$/, '') + fill(template));
  for (const [name, value] of Object.entries(sample.query ?? {})) url.searchParams.set(name, value);
  const isForm = sample.headers?.['content-type']?.includes('form');
  const isLines = sample.headers?.['content-type'] === 'application/x-ndjson';
  const write = (body: unknown) => {
    if (isLines) return (body as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
    return isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
  };
  const headers: Record<string, string> = {
    ...(sample.body !== undefined && { 'content-type': 'application/json' }),
    ...sample.headers,
  };
  return { method, url, headers, body: sample.body as Member | undefined, write };
}
type Request = ReturnType<typeof buildRequest>;

/** Returns every variant of a body with one misspelled member name, and the path of the member. */
function misspelt(value: unknown, freeForm: string[], at: string[] = []): [string, unknown][] {
  if (typeof value !== 'object' || value === null || freeForm.includes(at.join('.'))) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = misspelt(member, freeForm, [...at, name]).map(([path, changed]): [string, unknown] => [
      path,
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
    ]);
    if (Array.isArray(value)) return inner;
    const renamed = {
      ...Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)),
      [`${name}z`]: member,
    };
    const added = { ...value, [`${name}z`]: member };
    const path = [...at, name].join('.');
    return [[`${path} renamed`, renamed], [`${path} twice`, added], ...inner];
  });
}

const listOperations = (behaviour: Behaviour) =>
  Object.entries(behaviour.operations).map(([key, { sample }]) => ({ behaviour, key, sample }));

describe.each(behaviours)('$name', (behaviour) => {
  const description = new Description(behaviour.name);

  it('implements every operation of its description and names its source', () => {
    expect(Object.keys(behaviour.operations).sort()).toEqual(description.routes.map(({ key }) => key).sort());
    expect(description.document.info).toMatchObject({
      'x-source': expect.anything(),
      'x-corrections': expect.any(Array),
      license: { name: expect.any(String) },
    });
  });

  describe.each(listOperations(behaviour))('$key', ({ key, sample }) => {
    const right = buildRequest(description, key, sample);

    /** Sends a signed request and returns the answer. */
    async function send(change: Partial<Request> = {}, isSigned = true, faults: Fault[] = []) {
      const { method, url, headers, body, write } = { ...right, ...change };
      const text = body === undefined ? '' : typeof body === 'string' ? body : write(body);
      const unsigned = { method, url: url.href, headers, body: text };
      const signed = isSigned ? { ...headers, ...behaviour.sign(unsigned, behaviour.settings) } : headers;
      const session = await VendorSession.open([{ vendor: behaviour.name }], server.url);
      await session.fail(...faults);
      const answer = await session.fetch(url, { method, headers: signed, ...(text && { body: text }) });
      const said = await answer.text();
      const { seen, mistakes } = await session.end();
      expect(mistakes).toEqual([]);
      return { status: answer.status, said, refused: seen[0]!.refused };
    }

    it('accepts its sample request', async () => {
      expect(await send()).toMatchObject({ status: expect.toBeOneOf([200, 201]), refused: undefined });
    });

    it.each(misspelt(right.body, sample.freeForm ?? []))('rejects %s', async (_, body) => {
      expect(await send({ body: body as Member })).toMatchObject({
        status: 400,
        refused: expect.stringContaining('body:'),
      });
    });

    it('rejects unknown query parameters', async () => {
      const url = new URL(right.url);
      url.searchParams.set('colour', 'green');
      const refused = 'no such query parameter: colour';
      expect(await send({ url })).toMatchObject({ status: 400, refused });
    });

    it('rejects other paths, hosts and methods', async () => {
      const elsewhere = new URL(right.url);
      elsewhere.pathname += '/no/such/path';
      expect(await send({ url: elsewhere })).toMatchObject({
        refused: expect.stringMatching(/no such path/),
      });
      const url = new URL(right.url.pathname, 'https://another.test');
      expect(await send({ url })).toMatchObject({ status: 404, refused: expect.stringMatching(/no vendor/) });
      expect(await send({ method: 'PATCH' })).toMatchObject({ status: 405 });
    });

    const needsKey = (description.document.security ?? []).length > 0;
    it.runIf(needsKey)('rejects missing and wrong credentials', async () => {
      expect(await send({}, false)).toMatchObject({ refused: expect.stringMatching(/^no credentials/) });
      const signed = behaviour.sign(
        { method: right.method, url: right.url.href, headers: right.headers, body: '' },
        Object.fromEntries(
          Object.entries(behaviour.settings).map(([name, value]) => [
            name,
            typeof value === 'string' ? `${value}z` : value,
          ]),
        ),
      );
      const answer = await send({ headers: { ...right.headers, ...signed } }, false);
      // Some vendors answer a wrong key with 400.
      expect([400, 401, 403]).toContain(answer.status);
    });

    it.runIf(right.body !== undefined)('rejects bodies of another type and missing bodies', async () => {
      const headers = { ...right.headers, 'content-type': 'text/plain' };
      expect(await send({ headers })).toMatchObject({ status: 415 });
      const { body, ...bare } = right;
      const { status } = await send({
        ...bare,
        body: undefined,
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(400);
    });

    it.each(Object.keys(sample.query ?? {}))('rejects requests without required %s', async (name) => {
      const required = description.routes
        .find((route) => route.key === key)!
        .parameters.some((each) => each.in === 'query' && each.name === name && each.required);
      const url = new URL(right.url);
      url.searchParams.delete(name);
      expect((await send({ url })).status).toBe(required ? 400 : 200);
    });
  });
});

describe('planned fault', () => {
  const ask = async (...faults: Fault[]) => {
    const session = await VendorSession.open(
      [{ vendor: 'openai', base: 'http://models.test/v1' }],
      server.url,
    );
    await session.fail(...faults);
    const call = (signal?: AbortSignal) =>
      session.fetch('http://models.test/v1/embeddings', {
        method: 'POST',
        headers: { authorization: 'Bearer key-of-the-vendor', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: ['a'] }),
        ...(signal && { signal }),
      });
    return { session, call };
  };

  it('can be a status that echoes the request, once', async () => {
    const { call } = await ask({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const answer = await call();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await answer.text()).toContain('key-of-the-vendor');
    expect((await call()).status).toBe(200);
  });

  it('can be another body', async () => {
    const { call } = await ask({ kind: 'body', body: '<html>' });
    expect(await (await call()).text()).toBe('<html>');
  });

  it('can be silence before or within the response', async () => {
    const { call } = await ask({ kind: 'silent' }, { kind: 'silent body' });
    await expect(call(AbortSignal.timeout(100))).rejects.toThrow(/timeout|aborted/i);
    const caller = new AbortController();
    const answer = await call(caller.signal);
    expect(answer.status).toBe(200);
    setTimeout(() => caller.abort(), 300);
    await expect(answer.text()).rejects.toThrow(/timeout|aborted/i);
  });

  it('can be a truncated response', async () => {
    const { call } = await ask({ kind: 'cut' });
    await expect((await call()).text()).rejects.toThrow();
  });

  it('reports mistakes of the test server itself', async () => {
    const { session, call } = await ask();
    await call();
    const { seen, mistakes, mostAtOnce } = await session.state();
    expect([mistakes, mostAtOnce]).toEqual([[], 1]);
    expect(seen[0]).toMatchObject({ operation: 'POST /embeddings', note: { texts: ['a'] }, status: 200 });
    const wrong = new Description('openai').wrongAnswer('POST /embeddings', 200, 'application/json', [
      { data: [] },
    ]);
    expect(wrong).toMatch(/required property/);
  });

  it('applies only to its operation', async () => {
    const { call } = await ask({ on: 'POST /elsewhere', kind: 'status', status: 500 });
    expect((await call()).status).toBe(200);
  });
});
