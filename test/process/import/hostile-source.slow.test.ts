import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Call, SENT } from './scripted-server.ts';
import { BRIEFLY, FROM_KEY, type Scene, scene } from './setup.ts';

const requestsContent = (call: Call, id: string) => call.method === 'GET' && call.path === `/bytes/${id}`;

/** Asserts that the bad file is reported and the good file is copied. */
async function expectOneFailure(stage: Scene, why: RegExp) {
  stage.source.addFile('good.txt', 'good');
  const { complete, text } = await stage.run();
  expect(complete).toBe(false);
  expect(text).toMatch(why);
  expect(text.match(/^ {2}file bad\.txt:/gm)).toHaveLength(1);
  expect([...stage.target.contents.values()].map(String)).toEqual(['good']);
}

const drip = (response: ServerResponse, piece: string, everyMs: number) => {
  const timer = setInterval(() => response.write(piece), everyMs);
  response.on('close', () => clearInterval(timer));
  response.write(piece);
  return SENT;
};

describe('endless list', () => {
  const endless: Record<string, (call: Call, page: number) => unknown> = {
    'the same token': (_, page) => ({
      items: [{ id: `a${page}`, name: 'a' }],
      next_page_token: 'again',
    }),
    'new tokens for known entries': (_, page) => ({
      items: [{ id: 'a', name: 'a' }],
      next_page_token: `t${page}`,
    }),
    'new tokens for nothing': (_, page) => ({ items: [], next_page_token: `t${page}` }),
  };
  for (const [name, answer] of Object.entries(endless)) {
    it(`is detected by cursor: ${name}`, async () => {
      const stage = await scene();
      let page = 0;
      stage.source.add('pipelines', { name: 'harbour' });
      stage.source.trick = (call) => {
        if (!call.path.endsWith('/beta/files')) return undefined;
        page += 1;
        return answer(call, page);
      };
      const { complete, text } = await stage.run();
      expect(complete).toBe(false);
      expect(text).toMatch(/file \(list\): GET \/api\/v1\/beta\/files of the source: the list does not end/);
      expect(page).toBeLessThan(30);
      expect(text).toContain('pipelines: 1');
    });
  }

  it('is detected by offset with a growing count', async () => {
    const stage = await scene();
    stage.source.add('pipelines', { name: 'harbour' });
    let page = 0;
    stage.source.trick = (call) => {
      if (!call.path.endsWith('/paginated')) return undefined;
      page += 1;
      return { documents: [{ id: 'd', text: 'Words.', metadata: {} }], total_count: page * 1000 };
    };
    const { text } = await stage.run();
    expect(text).toMatch(/document \(list\) harbour: .*the list does not end: it repeats the same entries/);
    expect([...stage.target.documents.values()].flat()).toHaveLength(1);
  });
});

describe('invalid answer', () => {
  it('for one entry does not affect others', async () => {
    const stage = await scene();
    stage.source.add('pipelines', { name: 7 });
    stage.source.add('pipelines', { name: 'harbour' });
    stage.source.addFile('\u001b[2Jbad\u0007.txt', 'x', { file_size: 'huge' });
    stage.source.addFile('good.txt', 'good');
    const { complete, text } = await stage.run();
    expect(complete).toBe(false);
    expect(text).toContain('pipeline 7: invalid answer of the source: name:');
    expect(text).toContain('file [2Jbad .txt: invalid answer of the source: file_size:');
    expect(text).toMatch(/pipelines: 1\n/);
    expect(text).toMatch(/ files: 1\n/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
    expect(text).not.toMatch(/[\u0007\u001b]/);
  });

  const bodies: Record<string, [string, RegExp]> = {
    'a page instead of JSON': ['<html>', /data-sinks of the source: the answer is not JSON/],
    'an object instead of a list': [
      '{"items":[]}',
      /data-sinks of the source: the answer has an unexpected form/,
    ],
    'nothing at all': ['', /data-sinks of the source: the answer has an unexpected form/],
  };
  for (const [name, [body, why]] of Object.entries(bodies)) {
    it(`is rejected in ${name}`, async () => {
      const stage = await scene();
      stage.source.addFile('good.txt', 'good');
      stage.source.trick = (call, response) => {
        if (!call.path.endsWith('/data-sinks')) return undefined;
        response.end(body);
        return SENT;
      };
      const { text } = await stage.run();
      expect(text).toMatch(why);
      expect(text).toMatch(/ files: 1\n/);
    });
  }

  it('with endless nesting is rejected', async () => {
    const stage = await scene();
    stage.source.addFile('good.txt', 'good');
    stage.source.trick = (call, response) => {
      if (!call.path.endsWith('/data-sinks')) return undefined;
      const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
      response.end(`[{"id":"1","name":"deep","sink_type":"MILVUS","component":${deep}}]`);
      return SENT;
    };
    const { text } = await stage.run();
    expect(text).toContain(
      'data sink deep: POST /api/v1/data-sinks of the target: the data to send is nested too deeply',
    );
    expect(text).toMatch(/ files: 1\n/);
  });
});

describe('busy, slow or unreachable server', () => {
  it('is asked again after Retry-After', async () => {
    const stage = await scene();
    stage.source.addFile('good.txt', 'good');
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => void vi.restoreAllMocks());
    let timesAsked = 0;
    stage.source.trick = (call, response) => {
      if (!call.path.endsWith('/beta/files')) return undefined;
      timesAsked += 1;
      if (timesAsked > 2) return undefined;
      response.writeHead(timesAsked === 1 ? 429 : 503, { 'retry-after': '0.3' }).end('{}');
      return SENT;
    };
    expect((await stage.run()).complete).toBe(true);
    expect(timesAsked).toBe(3);
    expect(setTimer.mock.calls.filter(([, milliseconds]) => milliseconds === 300)).toHaveLength(2);
  });

  it('is not waited for if it asks for an hour', async () => {
    const stage = await scene();
    stage.source.trick = (call, response) => {
      if (!call.path.endsWith('/beta/files')) return undefined;
      response.writeHead(429, { 'retry-after': '3600' }).end('{"detail":"Come back later"}');
      return SENT;
    };
    const { text } = await stage.run();
    expect(text).toContain('429 Come back later');
    expect(stage.source.asked('GET', '/beta/files')).toHaveLength(1);
  });

  it('is given up after several attempts without answer', async () => {
    const stage = await scene();
    stage.source.trick = (call) => (call.path.endsWith('/retrievers') ? SENT : undefined);
    const { text } = await stage.run({}, { retryPolicy: { ...BRIEFLY, answerMs: 200 } });
    expect(text).toMatch(/retriever \(list\): .*did not answer in time/);
    expect(stage.source.asked('GET', '/retrievers')).toHaveLength(BRIEFLY.attempts);
  });

  it('is no longer asked after many failed files', async () => {
    const stage = await scene();
    for (let index = 0; index < 60; index += 1) stage.source.addFile(`${index}.txt`, 'x');
    stage.source.trick = (call, response) => {
      if (!call.path.startsWith('/bytes/')) return undefined;
      response.destroy();
      return SENT;
    };
    const { text } = await stage.run({}, { retryPolicy: { ...BRIEFLY, attempts: 2 } });
    expect(text).toContain('file (list)');
    expect(stage.source.asked('GET', '/content').length).toBeLessThan(60);
  });
});

describe('file content', () => {
  it('is fetched again if interrupted', async () => {
    const stage = await scene();
    const { id } = stage.source.addFile('a.txt', 'whole');
    let first = true;
    stage.source.trick = (call, response) => {
      if (!requestsContent(call, id) || !first) return undefined;
      first = false;
      response.writeHead(200, { 'content-length': 5 }).write('wh', () => response.destroy());
      return SENT;
    };
    expect((await stage.run()).complete).toBe(true);
    expect([...stage.target.contents.values()].map(String)).toEqual(['whole']);
  });

  it('is cut off at the declared size', async () => {
    const stage = await scene();
    const { id } = stage.source.addFile('bad.txt', 'few');
    stage.source.trick = (call, response) =>
      requestsContent(call, id) ? drip(response, 'x'.repeat(65536), 1) : undefined;
    await expectOneFailure(stage, /bad\.txt: the content is larger than 3 bytes/);
  });

  it('is given up if it stops or is too slow', async () => {
    const stage = await scene();
    const { id } = stage.source.addFile('bad.txt', 'x'.repeat(10_000));
    stage.source.trick = (call, response) =>
      requestsContent(call, id) ? drip(response, 'x', 100) : undefined;
    await expectOneFailure(stage, /bad\.txt: the transfer stopped or is too slow/);
  });

  it('with fewer bytes than declared is rejected', async () => {
    const stage = await scene();
    stage.source.addFile('bad.txt', 'few', { file_size: 30 });
    await expectOneFailure(stage, /bad\.txt: content: 3 bytes were received instead of 30/);
  });

  const places: Record<string, [string, RegExp]> = {
    'a file of this machine': ['file:///etc/passwd', /returned no valid URL for it/],
    'no address': ['http://', /returned no valid URL for it/],
    'a closed port': ['http://127.0.0.1:1/', /content: 127\.0\.0\.1:1: /],
  };
  for (const [name, [url, why]] of Object.entries(places)) {
    it(`is not fetched from ${name}`, async () => {
      const stage = await scene();
      const { id } = stage.source.addFile('bad.txt', 'x');
      stage.source.trick = (call) => (call.path.endsWith(`${id}/content`) ? { url } : undefined);
      await expectOneFailure(stage, why);
    });
  }
});

describe('API key', () => {
  it('is not sent to a redirect target', async () => {
    const stage = await scene();
    const elsewhere = stage.target;
    stage.source.trick = (call, response) => {
      if (!call.path.endsWith('/retrievers')) return undefined;
      response.writeHead(307, { location: `${elsewhere.base}/stolen?${FROM_KEY}` }).end();
      return SENT;
    };
    const { text } = await stage.run();
    expect(text).toMatch(/retriever \(list\): .*it redirects to .*\/stolen/);
    expect(text).not.toContain(FROM_KEY);
    expect(elsewhere.asked('GET', '/stolen')).toEqual([]);
  });

  it('is not sent to storage URLs or their redirects', async () => {
    const stage = await scene();
    const { id } = stage.source.addFile('a.txt', 'content');
    stage.target.trick = (call) => (call.path === '/moved' ? Buffer.from('content') : undefined);
    stage.source.trick = (call, response) => {
      if (!requestsContent(call, id)) return undefined;
      response.writeHead(302, { location: `${stage.target.base}/moved` }).end();
      return SENT;
    };
    expect((await stage.run()).complete).toBe(true);
    const keyless = [...stage.source.calls, ...stage.target.calls].filter(
      ({ path }) => path === '/moved' || path.startsWith('/bytes/'),
    );
    expect(keyless.length).toBeGreaterThanOrEqual(3);
    expect(keyless.map(({ key }) => key)).toEqual(keyless.map(() => undefined));
  });

  it('that is wrong ends the import at once', async () => {
    const stage = await scene();
    stage.source.trick = (_, response) => {
      response.writeHead(401).end('{"detail":"Invalid API key"}');
      return SENT;
    };
    await expect(stage.run()).rejects.toThrow('GET /api/v1/projects of the source: 401 Invalid API key');
    expect(stage.target.calls).toEqual([]);
  });
});
