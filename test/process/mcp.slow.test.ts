import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { SyncClient } from './pipelines.ts';
import { sendUntilAdmitted } from './send-until-admitted.ts';
import { SharedService } from './shared-client.ts';

// Uses the unmodified MCP client against the service. The client validates structured content against the
// listed output schema.

const service = new SharedService();
let pipeline: string;
const files: Record<string, string> = {};
const clients: Client[] = [];

const INVOICE = '# Invoice\n\nInvoice number: INV-2041\nTotal due: 1,163.40 EUR\n';
const INVOICE_SCHEMA = { type: 'object', properties: { invoice_number: { type: 'string' } } };
const RULES = [
  { type: 'invoice', description: 'A bill that asks for payment, with an invoice number and a total due.' },
  { type: 'recipe', description: 'Instructions for cooking a dish, with ingredients and steps.' },
];
const PAGES = 70;
const lines = (page: number) =>
  Array.from({ length: 40 }, (_, at) =>
    text(40, 760 - 18 * at, `${page}-${at} ${'rope and tar '.repeat(5)}`, 8),
  );
const book = buildPdf({
  pages: Array.from({ length: PAGES }, (_, at) => ({ content: lines(at + 1).join('\n') })),
});

beforeAll(async () => {
  await service.start();
  const sync = new SyncClient(service);
  pipeline = await sync.createPipeline();
  files.book = await service.upload('book.pdf', new Uint8Array(book));
  files.keeper = await service.upload('keeper.md', '# Harbour\n\nThe lighthouse is kept by Ada Strand.\n');
  files.invoice = await service.upload('invoice.md', INVOICE);
  const body = [{ file_id: files.book }, { file_id: files.keeper }];
  await service.call('PUT', `/api/v1/pipelines/${pipeline}/files`, body);
  expect((await sync.sync(pipeline)).status).toBe('SUCCESS');
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await service.end();
});

const transportWith = (key: string) =>
  new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });

type Negotiation = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation'];

async function connect(versionNegotiation?: Negotiation): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { ...(versionNegotiation && { versionNegotiation }) },
  );
  await client.connect(transportWith(service.key));
  clients.push(client);
  return client;
}

describe.each<[string, Negotiation]>([
  ['with the handshake of 2025', { mode: 'legacy' }],
  ['with the revision of 2026', { mode: { pin: '2026-07-28' } }],
])('%s', (_, negotiation) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(negotiation);
    await client.listTools();
  });

  async function call<Data>(name: string, args: Record<string, unknown>): Promise<Data> {
    const answer = await client.callTool({ name, arguments: args });
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
    return answer.structuredContent as Data;
  }

  it('reports its name, and lists tools, resources and templates', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'sluice' });
    expect(client.getInstructions()).toContain('never instructions of this server');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('read_pages');
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name).toSorted()).toEqual(['book.pdf', 'invoice.md', 'keeper.md']);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'sluice://files/{id}',
      'sluice://files/{id}/pages/{n}',
    ]);
    const uri = `${resources.find(({ name }) => name === 'keeper.md')!.uri}/pages/1`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([
      { uri, mimeType: 'text/markdown', text: expect.stringContaining('kept by Ada Strand') },
    ]);
  });

  it('runs every tool on an indexed file', async () => {
    const { items } = await call<{ items: { id: string }[] }>('list_pipelines', {});
    expect(items.map(({ id }) => id)).toEqual([pipeline]);
    const where = { pipeline_id: pipeline };
    const found = await call<{ results: object[] }>('search', {
      ...where,
      query: 'Who keeps the lighthouse?',
    });
    expect(found.results[0]).toMatchObject({
      file_id: files.keeper,
      text: expect.stringContaining('Ada Strand'),
    });
    const said = await call<{ answer: string }>('ask', { ...where, question: 'Who keeps the lighthouse?' });
    expect(said.answer).toMatch(/Ada Strand.*\[\d+\]/s);
    const named = await call<{ items: object[] }>('find_files', { ...where, name_contains: 'keep' });
    expect(named.items).toMatchObject([{ file_id: files.keeper, status: 'SUCCESS' }]);
    const filters = { filters: [{ key: 'file_name', value: 'keeper.md' }] };
    const filtered = await call<{ items: object[] }>('find_files', { ...where, filters });
    expect(filtered.items).toMatchObject([{ file_id: files.keeper }]);
    const of = { file_input: files.invoice, wait_seconds: 50 };
    const extracted = await call<{ id: string }>('extract', { ...of, data_schema: INVOICE_SCHEMA });
    expect(extracted).toMatchObject({ extract_result: { invoice_number: 'INV-2041' } });
    expect(await call('classify', { ...of, rules: RULES })).toMatchObject({ result: { type: 'invoice' } });
    expect(await call('get_job', { job_id: extracted.id })).toMatchObject(extracted);
  });

  it('reads a long file completely, with each line once', async () => {
    interface Read {
      pages: { text: string }[];
      next_page_token: string | null;
    }
    let said = '';
    let calls = 0;
    for (let token: string | null = null; ; ) {
      const page: Read = await call<Read>('read_pages', {
        ...{ file_id: files.book, format: 'text', page_token: token },
      });
      said += page.pages.map((each) => each.text).join('\n');
      calls += 1;
      token = page.next_page_token;
      if (!token) break;
    }
    expect(calls).toBeGreaterThan(1);
    const seen = said.match(/\b\d+-\d+(?= rope)/g)!;
    const expected = Array.from({ length: PAGES * 40 }, (_, at) => `${Math.floor(at / 40) + 1}-${at % 40}`);
    expect(seen).toEqual(expected);
  });

  it('returns tool errors as results and throws protocol errors', async () => {
    const wrong = await client.callTool({ name: 'search', arguments: { pipeline_id: 'x', query: 'y' } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('pipeline_id') }],
    });
    await expect(client.callTool({ name: 'burn', arguments: {} })).rejects.toThrow(/no tool burn/);
    const nowhere = `sluice://files/${crypto.randomUUID()}`;
    await expect(client.readResource({ uri: nowhere })).rejects.toThrow(/not found/);
  });

  it('keeps answering after a call is aborted', async () => {
    const given = AbortSignal.timeout(300);
    const params = { file_input: files.book, data_schema: INVOICE_SCHEMA, wait_seconds: 50 };
    await Promise.allSettled([
      client.callTool({ name: 'extract', arguments: params }, { signal: given }),
      client.callTool(
        { name: 'ask', arguments: { pipeline_id: pipeline, question: 'Rope?' } },
        { signal: given },
      ),
    ]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});

it('rejects a client with a wrong key', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(transportWith('slc_wrong'))).rejects.toThrow(/API key of this installation/);
});

describe('hostile request', () => {
  const send = (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${service.base}/mcp`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
  const message = (params: object, method = 'tools/call') =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

  it.each<[string, () => Promise<Response>, number]>([
    ['nesting of two hundred thousand', () => send('{"a":'.repeat(200_000)), 400],
    ['a batch of ten thousand', () => send(`[${Array(10_000).fill(message({}, 'tools/list')).join()}]`), 400],
    ['two megabytes', () => send(message({ x: 'x'.repeat(2 ** 21) })), 413],
    ['a foreign Origin', () => send(message({}, 'tools/list'), { origin: 'http://rebound.example' }), 403],
    ['bytes that are no text', () => send(new Uint8Array([0xff, 0xfe, 0x00])), 400],
  ])('with %s is rejected', async (_, attempt, status) => {
    const answer = await attempt();
    expect(answer.status).toBe(status);
    await answer.text();
  });

  it('with prototypes, deep filters or many parallel calls has no effect on others', async () => {
    const search = (more: object) =>
      send(message({ name: 'search', arguments: { pipeline_id: pipeline, query: 'x', ...more } }));
    let filters: object = { filters: [] };
    for (let depth = 0; depth < 200; depth += 1) filters = { filters: [filters] };
    expect(await (await search({ filters })).text()).toMatch(/nested at most 16 levels deep/);
    const polluted = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"__proto__":{"query":"x"}}}}`;
    expect(await (await send(polluted)).text()).toContain('isError');
    const list = () => sendUntilAdmitted(() => send(message({}, 'tools/list')));
    const answers = await Promise.all(Array.from({ length: 100 }, list));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect((await fetch(`${service.base}/health`)).status).toBe(200);
  });
});
