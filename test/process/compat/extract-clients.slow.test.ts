import { File as NodeFile } from 'node:buffer';
import { LlamaCloud } from '@llamaindex/llama-cloud';
import { LlamaCloud as LlamaCloud1 } from 'llama-cloud-1';
import { LlamaClassify, LlamaExtract } from 'llama-cloud-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedService } from '#test/process/shared-client.ts';
import { BLANK, FOUND, INVOICE, INVOICE_TEXT, RECIPE, RULES, SCHEMA } from './extract-documents.ts';

const service = new SharedService();
const POLL = 0.1;
const ROUNDS = 600;
const PATIENT = { pollingInterval: POLL, timeout: 60 };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const base = () => `${service.base}/compat`;
const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes);
const named = (kind: string) => `${kind} ${crypto.randomUUID()}`;

let invoice = '';
let recipe = '';

beforeAll(async () => {
  await service.start();
  invoice = await service.upload('invoice.pdf', INVOICE);
  recipe = await service.upload('recipe.txt', RECIPE);
});
afterAll(() => service.end());

describe('LlamaExtract and LlamaClassify', () => {
  const extractor = () => new LlamaExtract(service.key, base());

  it('create, find, use and delete an agent', async () => {
    const name = named('invoices / all');
    const made = await extractor().createAgent(name, SCHEMA, { cite_sources: true });
    expect(made!.id).toMatch(UUID);
    expect(made!.dataSchema).toEqual(SCHEMA);
    const found = await extractor().getAgent(name);
    expect(found!.id).toBe(made!.id);
    const agent = await extractor().getAgent(undefined, made!.id);
    expect(agent!.name).toBe(name);
    const result = await agent!.extract(
      undefined,
      toBuffer(INVOICE),
      'invoice.pdf',
      null,
      null,
      undefined,
      POLL,
      ROUNDS,
    );
    expect(result!.data).toEqual(FOUND);
    expect(result!.extractionMetadata.field_metadata).toMatchObject({
      invoice_number: { citation: [{ page: 1, matching_text: 'INV-2041', bounding_boxes: [{}] }] },
    });
    expect(result!.extractionMetadata.usage).toEqual({ num_pages_extracted: 1 });
    expect(await extractor().deleteAgent(made!.id)).toBe(true);
    await expect(extractor().getAgent(name, undefined, null, null, 0, 0.01)).rejects.toThrow(
      /getting the agent/,
    );
  });

  it('extract by page without an agent', async () => {
    const config = { extraction_target: 'PER_PAGE' as const };
    const given = [SCHEMA, config, undefined, toBuffer(INVOICE), 'a.pdf', null, null, POLL, ROUNDS] as const;
    const result = await extractor().extract(...given);
    expect(result!.data).toEqual([FOUND]);
  });

  it('report an error for a blank document', async () => {
    const blank = toBuffer(BLANK);
    const given = [SCHEMA, {}, undefined, blank, 'blank.pdf', null, null, POLL, ROUNDS] as const;
    await expect(extractor().extract(...given)).rejects.toThrow(/error extracting data/);
  });

  it('classify several files in one job', async () => {
    const files = [new NodeFile([INVOICE], 'a.pdf'), new NodeFile([RECIPE], 'b.txt')];
    const answer = await new LlamaClassify(service.key, base()).classify(
      RULES,
      { lang: 'en' },
      { fileContents: files, pollingInterval: POLL, maxPollingIterations: ROUNDS },
    );
    expect(answer.items.map(({ result }) => result?.type)).toEqual(['invoice', 'recipe']);
    for (const { id, classify_job_id, file_id, result } of answer.items) {
      for (const each of [id, classify_job_id, file_id]) expect(each).toMatch(UUID);
      expect(result!.confidence).toBeGreaterThan(0);
      expect(result!.reasoning).not.toBe('');
    }
  });
});

describe('llama-cloud 1.6 client', () => {
  const client = () => new LlamaCloud1({ apiKey: service.key, baseURL: base(), maxRetries: 0 });

  it('runs every operation of extraction agents and their schemas', async () => {
    const { extractionAgents } = client().extraction;
    const { data_schema } = await extractionAgents.schema.validateSchema({
      data_schema: JSON.stringify(SCHEMA),
    });
    expect(Object.keys(data_schema.properties as object)).toEqual(Object.keys(SCHEMA.properties));
    await expect(
      extractionAgents.schema.validateSchema({ data_schema: { type: 'array' } }),
    ).rejects.toMatchObject({ status: expect.toSatisfy((status) => status === 400 || status === 422) });
    const generated = await extractionAgents.schema.generateSchema({
      file_id: invoice,
      prompt: 'the total due',
    });
    expect(JSON.stringify(generated.data_schema)).toContain('total_due');

    const name = named('agent');
    const config = {
      extraction_mode: 'FAST',
      extraction_target: 'PER_DOC',
      system_prompt: 'Amounts are in euros.',
      page_range: '1',
      chunk_mode: 'SECTION',
      num_pages_context: 2,
    } as const;
    const agent = await extractionAgents.create({ name, data_schema: SCHEMA, config });
    const { chunk_mode, num_pages_context, ...kept } = config;
    expect(agent).toMatchObject({ name, data_schema: SCHEMA, config: kept });
    expect(
      (agent as unknown as { warnings: { field: string }[] }).warnings.map(({ field }) => field),
    ).toEqual(['config.chunk_mode', 'config.num_pages_context']);
    await expect(extractionAgents.create({ name, data_schema: SCHEMA, config })).rejects.toMatchObject({
      status: 409,
    });
    const changed = await extractionAgents.update(agent.id, {
      data_schema: SCHEMA,
      config: { extraction_mode: 'PREMIUM', confidence_scores: true },
    });
    expect(changed).toMatchObject({ id: agent.id, name, config: { extraction_mode: 'PREMIUM' } });
    expect(await extractionAgents.get(agent.id)).toMatchObject({ id: agent.id, config: changed.config });
    expect((await extractionAgents.list()).map(({ id }) => id)).toContain(agent.id);
    const [first] = await extractionAgents.list({ include_default: true });
    expect(first).toMatchObject({ name: 'default', custom_configuration: 'default' });
    await extractionAgents.delete(agent.id);
    await expect(extractionAgents.get(agent.id)).rejects.toMatchObject({ status: 404 });
  });

  it('runs every operation of jobs and runs', async () => {
    const { extraction } = client();
    const { jobs, runs } = extraction;
    const agent = await extraction.extractionAgents.create({
      name: named('agent'),
      data_schema: SCHEMA,
      config: { confidence_scores: true },
    });
    const ofAgent = { extraction_agent_id: agent.id };
    const result = await jobs.extract({ ...ofAgent, file_id: invoice }, PATIENT);
    expect(result).toMatchObject({ data: FOUND, extraction_agent_id: agent.id });
    const { confidence } = (
      result.extraction_metadata.field_metadata as Record<string, { confidence: number }>
    ).total_due!;
    expect(confidence).toBeGreaterThan(0);

    const overridden = await jobs.create({
      ...ofAgent,
      file_id: invoice,
      data_schema_override: { type: 'object', properties: { invoice_number: { type: 'string' } } },
      config_override: { extraction_target: 'PER_PAGE' },
    });
    expect(overridden.extraction_agent.id).toBe(agent.id);
    await jobs.waitForCompletion(overridden.id, PATIENT);
    expect((await jobs.getResult(overridden.id)).data).toEqual([{ invoice_number: 'INV-2041' }]);

    const upload = await jobs.file({
      ...ofAgent,
      file: new File([INVOICE], 'invoice.pdf'),
      data_schema_override: JSON.stringify({ type: 'object', properties: { total_due: { type: 'number' } } }),
      config_override: JSON.stringify({ extraction_mode: 'BALANCED' }),
    });
    expect(upload.file).toMatchObject({ id: upload.file_id, name: 'invoice.pdf' });
    expect(await jobs.waitForCompletion(upload.id, PATIENT)).toMatchObject({
      status: 'SUCCESS',
      extraction_agent: { name: agent.name },
    });
    expect((await jobs.getResult(upload.id)).data).toEqual({ total_due: 1163.4 });
    expect((await jobs.list(ofAgent)).map(({ id }) => id)).toEqual([upload.id, overridden.id, result.run_id]);

    const listed = [];
    for await (const run of runs.list({ ...ofAgent, limit: 2 })) listed.push(run.id);
    expect(listed).toEqual([upload.id, overridden.id, result.run_id]);
    const run = await runs.getByJob(upload.id);
    expect(run).toMatchObject({
      job_id: upload.id,
      status: 'SUCCESS',
      data: { total_due: 1163.4 },
      from_ui: false,
    });
    expect(await runs.get(run.id)).toEqual(run);
    await runs.delete(run.id);
    await expect(runs.get(run.id)).rejects.toMatchObject({ status: 404 });
    await expect(jobs.get(upload.id)).rejects.toMatchObject({ status: 404 });
  });

  it('extracts statelessly from a file, from text and from inline bytes', async () => {
    const { extraction } = client();
    const stateless = { data_schema: JSON.stringify(SCHEMA), config: {} };
    const file = { data: toBuffer(INVOICE).toString('base64'), mime_type: 'application/pdf' };
    for (const source of [{ file_id: invoice }, { text: INVOICE_TEXT }, { file }]) {
      const result = await extraction.extract({ ...stateless, ...source }, PATIENT);
      expect(result.data).toEqual(FOUND);
    }
    for (const source of [{}, { text: 'a', file_id: invoice }]) {
      await expect(extraction.run({ ...stateless, ...source })).rejects.toMatchObject({ status: 400 });
    }
    const wrong = extraction.run({ ...stateless, file: { data: 'not base64!', mime_type: 'a/b' } });
    await expect(wrong).rejects.toMatchObject({ status: 422 });
  });

  it('classifies files and reports the status of each file', async () => {
    const { jobs } = client().classifier;
    const blank = await service.upload('blank.pdf', BLANK);
    const made = await jobs.create({
      file_ids: [recipe, blank, invoice],
      rules: RULES,
      mode: 'MULTIMODAL',
      parsing_configuration: { lang: 'ch_sim', target_pages: [0, 2] },
    });
    expect(made).toMatchObject({
      status: 'PENDING',
      rules: RULES,
      parsing_configuration: { lang: 'ch_sim', max_pages: 5, target_pages: [0, 2] },
    });
    const done = await jobs.waitForCompletion(made.id, {}, PATIENT);
    expect(done).toMatchObject({ id: made.id, status: 'PARTIAL_SUCCESS', error_message: expect.any(String) });
    const { items } = await jobs.getResults(made.id);
    expect(items.map(({ file_id, result }) => [file_id, result?.type])).toEqual([
      [recipe, 'recipe'],
      [blank, undefined],
      [invoice, 'invoice'],
    ]);
    const listed = [];
    for await (const job of jobs.list({ page_size: 1 })) listed.push(job);
    expect(listed[0]).toEqual(done);

    const failed = await jobs.create({ file_ids: [blank], rules: RULES });
    await expect(jobs.waitForCompletion(failed.id, {}, PATIENT)).rejects.toThrow(/ERROR/);
    await expect(
      jobs.create({ file_ids: [recipe, crypto.randomUUID()], rules: RULES }),
    ).rejects.toMatchObject({
      status: 400,
    });
    const [newest] = (await jobs.list({ page_size: 1 })).items;
    expect(newest!.id).toBe(failed.id);
  });
});

describe('llama-cloud 2.16 client', () => {
  const client = () => new LlamaCloud({ apiKey: service.key, baseURL: base(), maxRetries: 0 });

  it('runs every operation of extract', async () => {
    const { extract } = client();
    const { data_schema } = await extract.validateSchema({ data_schema: SCHEMA });
    const made = await extract.generateSchema({ data_schema, name: 'invoices', prompt: 'the total due' });
    expect(made).toMatchObject({ name: 'invoices', parameters: { product_type: 'extract_v2' } });
    const configuration = {
      data_schema: SCHEMA,
      tier: 'agentic',
      parse_tier: 'agentic_plus',
      version: 'latest',
      extraction_target: 'per_doc',
      cite_sources: true,
      disable_cache: false,
    } as const;
    const job = await extract.run({ file_input: invoice, configuration }, PATIENT);
    expect(job).toMatchObject({ status: 'COMPLETED', extract_result: FOUND });
    const expanded = await extract.get(job.id, { expand: ['configuration', 'extract_metadata', 'usage'] });
    expect(expanded).toMatchObject({
      configuration: { tier: 'agentic', parse_tier: 'agentic_plus' },
      extract_metadata: { field_metadata: { document_metadata: { total_due: { citation: [{ page: 1 }] } } } },
      metadata: { usage: { num_pages_extracted: 1 } },
    });
    const ids = [];
    const list = extract.list({ file_input: invoice, document_input_type: 'file_id', page_size: 2 });
    for await (const { id } of list) ids.push(id);
    expect(ids).toContain(job.id);
    await expect(extract.cancel(job.id)).rejects.toMatchObject({ status: 409 });
    await extract.delete(job.id);
    await expect(extract.get(job.id)).rejects.toMatchObject({ status: 404 });
  });

  it('runs every operation of classify', async () => {
    const { classify } = client();
    const configuration = {
      rules: RULES,
      mode: 'FAST',
      parsing_configuration: { lang: 'en', max_pages: 3 },
    } as const;
    const job = await classify.run({ file_input: recipe, configuration, transaction_id: 'one' }, PATIENT);
    expect(job).toMatchObject({ status: 'COMPLETED', result: { type: 'recipe' } });
    expect((await classify.create({ configuration, file_input: invoice, transaction_id: 'one' })).id).toBe(
      job.id,
    );
    const ids = [];
    for await (const { id } of classify.list({ status: 'COMPLETED', page_size: 2 })) ids.push(id);
    expect(ids).toContain(job.id);
    await expect(classify.cancel(job.id)).rejects.toMatchObject({ status: 409 });
  });
});
