import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { modelUsage, parseJobs } from '#src/db/schema/index.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveVersion } from '#src/parse/versions.ts';
import { call } from '#test/support/client.ts';
import { run } from '#test/support/jobs.ts';
import { parseWith, saying, uploadLedger } from '#test/support/ledger.ts';
import { contextWithModel, PageModel } from '#test/support/page-model.ts';
import { parseJobWithModel } from '#test/support/parse-job.ts';

const ENDPOINT = 'http://93.184.215.14/v1';
const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
  model.answer = saying;
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the context of an installation without a model. */
const without = () =>
  contextWithModel({ LLM_BASE_URL: undefined, LLM_MODEL: undefined, LLM_API_KEY: undefined });
const OWN = {
  parse_mode: 'parse_page_with_lvm',
  model: 'reader-of-mine',
  hostedllm_endpoint: ENDPOINT,
  hostedllm_key: 'Pl4nted-key',
} as const satisfies ParseParameters;

describe('a model supplied by the caller', () => {
  it('works if the installation has no model, and is not counted in the usage', async () => {
    const ctx = without();
    const { pages, key } = await parseWith(await uploadLedger(2), OWN, ctx);
    expect(pages.map(({ readBy }) => [readBy!.mode, readBy!.model])).toEqual([
      ['vision', 'reader-of-mine'],
      ['vision', 'reader-of-mine'],
    ]);
    expect(model.asked.map((asked) => asked.model)).toEqual(['reader-of-mine', 'reader-of-mine']);
    const counted = await ctx.db.select().from(modelUsage).where(eq(modelUsage.model, 'reader-of-mine'));
    expect(counted).toEqual([]);
    expect(JSON.stringify(pages) + key.configHash).not.toContain('Pl4nted');
  });

  it('takes precedence over the model of the installation, and a different key uses the same cached result', async () => {
    const fileId = await uploadLedger(1);
    const { key } = await parseWith(fileId, OWN);
    const other = await parseWith(fileId, { ...OWN, hostedllm_key: 'other' });
    expect(other.key).toEqual(key);
    expect(model.asked.map((asked) => asked.model)).toEqual(['reader-of-mine']);
  });

  it('that rejects the key fails the parse and names the parameter of the key', async () => {
    model.answer = () => ({ status: 401 });
    const parsed = parseWith(await uploadLedger(3), { ...OWN, page_error_tolerance: 1 }, without());
    await expect(parsed).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/401.*hostedllm_key/),
    });
    await expect(parsed).rejects.not.toMatchObject({ message: expect.stringContaining('Pl4nted') });
  });

  it('at a private address is rejected without a request', async () => {
    const inside = { ...OWN, hostedllm_endpoint: 'http://10.0.0.7/v1' };
    await expect(parseWith(await uploadLedger(1), inside, without())).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(model.asked).toEqual([]);
  });

  it('replaces failed pages as other models do', async () => {
    model.answer = (asked) => (asked.fenced[0]!.includes('Ledger 2') ? { cut: '#' } : saying(asked));
    const parameters = { ...OWN, replace_failed_page_mode: 'blank_page' } as const;
    const { pages } = await parseWith(await uploadLedger(2), parameters, without());
    expect(pages.map(({ markdown }) => markdown === '')).toEqual([false, true]);
  });
});

describe('parameters of a caller’s own model', () => {
  const warned = async (configuration: object) => {
    const { body } = await call<{ id: string; warnings?: { field: string; reason: string }[] }>(
      'POST',
      '/api/v2/parse',
      { body: { file_id: await uploadLedger(1), configuration } },
    );
    return Object.fromEntries((body.warnings ?? []).map(({ field, reason }) => [field, reason]));
  };

  it('cause no warning if the model can be called', async () => {
    expect(await warned(OWN)).toEqual({});
  });

  it('cause warnings if the model cannot be called or is not used', async () => {
    const vision = { parse_mode: 'parse_page_with_lvm' };
    expect(await warned({ ...vision, premium_llm_api_key: 'k', model: 'llama-4' })).toMatchObject({
      'configuration.premium_llm_api_key': expect.stringContaining('is unknown'),
    });
    expect(await warned({ ...OWN, hostedllm_api_version: 'new' })).toMatchObject({
      'configuration.hostedllm_api_version': expect.stringContaining('is a date'),
    });
    expect(await warned({ hostedllm_key: 'k' })).toEqual({
      'configuration.hostedllm_key': expect.stringContaining('No mode that uses a language model'),
    });
    expect(await warned({ ...OWN, premium_llm_api_key: 'k' })).toEqual({
      'configuration.premium_llm_api_key': 'hostedllm_endpoint selects another model.',
    });
  });

  it('hide the key, and need the key again if the address changes', async () => {
    const name = crypto.randomUUID();
    const made = await call<{ id: string; parse_parameters: object }>('POST', '/api/v1/pipelines', {
      body: { name, parse_parameters: OWN },
    });
    expect(made.body.parse_parameters).toMatchObject({ hostedllm_key: '********' });
    const change = (parse_parameters: object) =>
      call('PUT', `/api/v1/pipelines/${made.body.id}`, { body: { parse_parameters } });
    const moved = { ...OWN, hostedllm_endpoint: 'https://other.example/v1', hostedllm_key: '********' };
    const refused = await change(moved);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('secret_required');
    expect((await change({ ...moved, hostedllm_key: 'another' })).status).toBe(200);
    expect((await change({ ...moved, model: 'm' })).status).toBe(200);
  });
});

describe('a parse job', () => {
  it('reads with a preset, and reports the parser version in its metadata', async () => {
    const pages = await parseJobWithModel(await uploadLedger(1), { preset: 'invoice', version: 'latest' });
    expect(pages[0]).toMatchObject({ parser_version: resolveVersion({}), read_by: { mode: 'agentic' } });
    expect(pages[0]!.read_by.reason).toBe('preset asks for it.');
    // Jobs of earlier tests may still be calling the model.
    const told = (part: string) => model.asked.filter(({ system }) => system.includes(part));
    expect(told('line items as one table')).not.toEqual([]);
    const own = {
      preset: 'invoice',
      tier: 'cost_effective',
      complemental_formatting_instruction: 'Be brief.',
    };
    const [page] = await parseJobWithModel(await uploadLedger(1), own);
    expect(page!.read_by.mode).toBe('corrected');
    expect(told('Be brief.').map(({ system }) => system.includes('line items as one table'))).toEqual([
      false,
    ]);
  });

  it('reads each page according to the matching rule', async () => {
    const rules = [
      { text_in_page: 'ledger 2', parsing_conf: { tier: 'cost_effective', custom_prompt: 'Mind the tin.' } },
      { filename_match_glob: '*.docx', parsing_conf: { tier: 'agentic' } },
      { regexp_in_page: 'Ledger [34]', parsing_conf: { parse_mode: 'parse_page_with_lvm' } },
    ];
    const configuration = { auto_mode_configuration_json: JSON.stringify(rules) };
    const pages = await parseJobWithModel(await uploadLedger(4), configuration);
    expect(pages.map(({ read_by: { mode, reason } }) => [mode, reason])).toEqual([
      ['layout', 'auto_mode_configuration_json: no rule applies.'],
      ['corrected', 'rule 1 of auto_mode_configuration_json: text_in_page.'],
      ['vision', 'rule 3 of auto_mode_configuration_json: regexp_in_page.'],
      ['vision', 'rule 3 of auto_mode_configuration_json: regexp_in_page.'],
    ]);
    const byPicture = model.asked.map(({ picture }) => picture !== undefined);
    expect(byPicture.toSorted()).toEqual([false, true, true]);
    expect(model.asked.filter(({ text }) => text.includes('Mind the tin.'))).toHaveLength(1);
  });

  it('leaves plain pages to the parser with enable_cost_optimizer', async () => {
    const pages = await parseJobWithModel(await uploadLedger(2), {
      tier: 'agentic',
      enable_cost_optimizer: true,
    });
    expect(pages.map(({ read_by }) => read_by.reason.split(':')[0])).toEqual([
      'enable_cost_optimizer',
      'enable_cost_optimizer',
    ]);
    expect(model.asked).toEqual([]);
  });

  it('reports confidence according to confidence_score_effort', async () => {
    const vision = { parse_mode: 'parse_page_with_lvm' };
    const fileId = await uploadLedger(1);
    const of = async (configuration: object) =>
      (await parseJobWithModel(fileId, configuration))[0]! as unknown as { confidence: number | null };
    expect((await of({ ...vision, confidence_score_effort: 'medium' })).confidence).toBeGreaterThan(0.9);
    expect((await of({ ...vision, confidence_score_effort: 'low' })).confidence).toBeNull();
    expect((await of({})).confidence).toBeNull();
    const { id } = await run('parse', {
      file_id: fileId,
      configuration: { confidence_score_effort: 'high' },
    });
    type Told = { metadata: { pages: { confidence: number }[]; document: { confidence: object } } };
    const { body } = await call<Told>('GET', `/api/v2/parse/${id}?expand=metadata`);
    const [{ confidence } = { confidence: 0 }] = body.metadata.pages;
    expect(confidence).toBeGreaterThan(0.8);
    expect(body.metadata.document.confidence).toEqual({ mean: confidence, lowest: confidence, pages: 1 });
  });

  it('of more than 64 pages reports the document’s metadata', async () => {
    for (const configuration of [{}, { ...OWN, target_pages: '1,70' }]) {
      const ctx = without();
      const fileId = await uploadLedger(70);
      const { key } = await parseWith(fileId, configuration, ctx);
      const { id } = await run('parse', { file_id: fileId, configuration: {} });
      await ctx.db.update(parseJobs).set(key).where(eq(parseJobs.id, id));
      const path = `/api/v2/parse/${id}?expand=metadata`;
      const { body } = await call<{ metadata: { document: object } }>('GET', path);
      expect(body.metadata.document).toHaveProperty('title');
    }
  });
});

describe('texts that are too long', () => {
  it.each([
    ['parsing_instruction', 20_000],
    ['user_prompt', 20_000],
    ['page_separator', 2_000],
    ['hostedllm_key', 2_000],
  ])('are rejected: %s has at most %d characters', async (name, most) => {
    const create = (length: number) =>
      call('POST', '/api/v1/pipelines', {
        body: { name: crypto.randomUUID(), parse_parameters: { [name]: 'x'.repeat(length) } },
      });
    expect((await create(most)).status).toBe(200);
    const refused = await create(most + 1);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain(String(most));
    expect(JSON.stringify(refused.body)).toContain(name);
  });
});

it('reports the location of an error in the page rules', async () => {
  const rules = JSON.stringify([{ parsing_conf: {} }, { parsing_conf: {}, regexp_in_page: '(a' }]);
  const body = {
    file_id: await uploadLedger(1),
    configuration: { auto_mode_configuration_json: rules },
  };
  const refused = await call<{ detail: { loc: unknown[] }[] }>('POST', '/api/v2/parse', { body });
  expect(refused.status).toBe(422);
  expect(refused.body.detail[0]!.loc.join('.')).toBe(
    'body.configuration.auto_mode_configuration_json.1.regexp_in_page',
  );
});
