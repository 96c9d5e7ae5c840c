import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, type JobBody, RULES, run } from '#test/support/jobs.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';
import { CONFIGS, type Config, DELIVERIES, type Delivery, waitForDeliveries } from './webhook-calls.ts';

describe('webhook deliveries', () => {
  it('to private addresses fail immediately, in order and in the log, even for cached parses', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    const saved = await call<Config>('POST', CONFIGS, {
      key,
      body: { webhook_url: 'http://private.nowhere.example/hook', webhook_output_format: 'json' },
    });
    const body = {
      file_input,
      configuration: { data_schema: INVOICE_SCHEMA },
      webhook_configurations: [
        { webhook_url: 'http://private.nowhere.example:9/hook', webhook_events: ['extract.success'] },
        { webhook_url: null },
      ],
      webhook_configuration_ids: [saved.body.id],
    };
    for (let round = 0; round < 2; round += 1) {
      const job = await run('extract', body, key);
      const deliveries = await waitForDeliveries(job.id, 3, key);
      expect(deliveries.map(({ event_type }) => event_type).sort()).toEqual([
        'extract.pending',
        'extract.success',
        'extract.success',
      ]);
      for (const { status, last_error, attempts } of deliveries) {
        expect({ status, attempts }).toEqual({ status: 'dead', attempts: 1 });
        expect(last_error).toContain('not public');
      }
      const dead = await call<{ items: Delivery[] }>('GET', `${DELIVERIES}?status=dead`, { key });
      // The saved endpoint subscribes to all events, so it also receives the events of the parse.
      expect(dead.body.items).toHaveLength(4 * (round + 1));
    }
  });

  it('can be read and replayed, and are deleted with their job', async () => {
    const { key } = await createTenant();
    const job = await run(
      'parse',
      {
        file_id: await upload('a.txt', 'alpha', { key }),
        webhook_configurations: [
          { webhook_url: 'http://nowhere.example/', webhook_signing_secret: 'Pl4nted' },
        ],
      },
      key,
    );
    const [pending, running, success] = await waitForDeliveries(job.id, 3, key);
    expect([pending, running, success].map((each) => each!.event_type)).toEqual([
      'parse.pending',
      'parse.running',
      'parse.success',
    ]);
    const one = await call<Delivery>('GET', `${DELIVERIES}/${success!.id}`, { key });
    const sent = JSON.parse(one.body.body!);
    expect(sent).toMatchObject({
      event_type: 'parse.success',
      timestamp: expect.any(Number),
      data: { id: job.id, job_id: job.id, status: 'COMPLETED', result: '{"pages":1}' },
    });
    expect(JSON.stringify(one.body)).not.toContain('Pl4nted');
    const replayed = await call<Delivery>('POST', `${DELIVERIES}/${success!.id}/replay`, { key });
    expect(replayed).toMatchObject({ status: 202, body: { status: 'pending', attempts: 0 } });
    const again = await waitForDeliveries(job.id, 3, key);
    expect(again.at(-1)).toMatchObject({ id: success!.id, attempts: 1, status: 'dead' });
    expect((await call('DELETE', `/api/v2/parse/${job.id}`, { key })).status).toBe(200);
    expect((await call('GET', `${DELIVERIES}/${success!.id}`, { key })).status).toBe(404);
  });

  it('can be tested without a job', async () => {
    const saved = await call<Config>('POST', CONFIGS, { body: { webhook_url: 'http://nowhere.example/' } });
    const test = await call<Delivery & { job_id: string }>('POST', `${CONFIGS}/${saved.body.id}/test`);
    expect(test).toMatchObject({ status: 202, body: { event_type: 'webhook.test' } });
    expect((await waitForDeliveries(test.body.job_id, 1))[0]).toMatchObject({ status: 'dead', attempts: 1 });
  });
});

describe('the webhooks of parse parameters', () => {
  const webhook_configurations = [
    { webhook_url: 'http://nowhere.example/', webhook_signing_secret: 'Pl4nted' },
  ];
  const log = async (key?: string) => {
    const { body } = await call<{ items: (Delivery & { job_id: string })[] }>('GET', DELIVERIES, {
      ...(key && { key }),
    });
    return body.items.filter((each) => each.event_type.startsWith('parse.'));
  };

  it.each(['ftp://h.example/', 'mailto:a@h.example'])('reject %s', async (webhook_url) => {
    const body = {
      file_id: await upload('a.txt', 'alpha'),
      webhook_configurations: [{ webhook_url }],
    };
    expect((await call('POST', '/api/v2/parse', { body })).status).toBe(422);
  });

  it('are notified about parses of a pipeline, including cached and failed ones', async () => {
    const { pipelineId, fileIds, told, counters } = await listeningPipeline({
      'a.txt': `alpha ${crypto.randomUUID()}`,
      'broken.pdf': '%PDF-1.4 nothing',
    });
    expect(counters).toMatchObject({ indexed: 1, failed: 1, cached_parses: 0 });
    const job = await call<JobBody>('GET', `/api/v2/parse/${told['parse.success']!.job_id}?expand=text`);
    expect(job.body).toMatchObject({ status: 'COMPLETED', file_id: fileIds[0], page_count: 1 });
    expect(JSON.stringify(job.body)).toContain('alpha');
    expect(JSON.stringify(job.body)).not.toContain('Pl4nted');
    const failed = await call<JobBody>('GET', `/api/v2/parse/${told['parse.error']!.job_id}`);
    expect(failed.body).toMatchObject({ status: 'FAILED', file_id: fileIds[1] });
    expect(failed.body.error_message).toContain('PDF_IS_BROKEN');

    const before = (await log()).length;
    const other = await createPipeline({ parse_parameters: { webhook_configurations } });
    const body = [{ file_id: fileIds[0] }];
    await call('PUT', `/api/v1/pipelines/${other}/files`, { body });
    expect((await sync(other)).progress?.counters).toMatchObject({ cached_parses: 1 });
    expect(await log()).toHaveLength(before + 1);
    // A sync that parses nothing sends no event.
    await sync(pipelineId);
    expect(await log()).toHaveLength(before + 1);
  });

  async function listeningPipeline(files: Record<string, string>) {
    const known = new Set((await log()).map(({ id }) => id));
    const pipelineId = await createPipeline({ parse_parameters: { webhook_configurations } });
    const fileIds = await addFiles(pipelineId, files);
    const counters = (await sync(pipelineId)).progress?.counters;
    const fresh = (await log()).filter(({ id }) => !known.has(id));
    expect(fresh).toHaveLength(fileIds.length);
    for (const { job_id } of fresh) expect((await waitForDeliveries(job_id, 1))[0]!.status).toBe('dead');
    const told = Object.fromEntries(fresh.map((each) => [each.event_type, each]));
    return { pipelineId, fileIds, told, counters };
  }

  it('can be given as a single URL, which receives every parse event', async () => {
    const { key } = await createTenant();
    const file_id = await upload('a.txt', 'alpha', { key });
    const configuration = { webhook_url: 'http://user:Pl4nted@nowhere.example/' };
    const job = await run('parse', { file_id, configuration }, key);
    expect((await waitForDeliveries(job.id, 3, key)).map(({ event_type }) => event_type)).toEqual([
      'parse.pending',
      'parse.running',
      'parse.success',
    ]);
    expect(job.configuration).toEqual({ webhook_url: 'http://********@nowhere.example/' });
    expect(job.warnings).toBeUndefined();

    const pipeline = await createPipeline({ parse_parameters: configuration });
    const [file] = await addFiles(pipeline, { 'b.txt': `beta ${crypto.randomUUID()}` });
    const known = new Set((await log()).map(({ id }) => id));
    await sync(pipeline);
    const fresh = (await log()).filter(({ id }) => !known.has(id));
    expect(fresh).toMatchObject([{ event_type: 'parse.success' }]);
    const told = await call<JobBody>('GET', `/api/v2/parse/${fresh[0]!.job_id}`);
    expect(told.body.file_id).toBe(file);
  });

  it.each(['extract', 'classify'] as const)('include those of the %s job that parses', async (product) => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    const of = (events: string[] | null) => ({
      webhook_url: 'http://nowhere.example/',
      webhook_events: events,
    });
    const body = {
      file_input,
      configuration: product === 'extract' ? { data_schema: INVOICE_SCHEMA } : { rules: RULES },
      webhook_configurations: [of(null), of(['parse.success']), of([`${product}.success`])],
    };
    const job = await run(product, body, key);
    const parse = (job.parse_job_id ?? job.extract_metadata?.parse_job_id) as string;
    const told = await waitForDeliveries(parse, 2, key);
    expect(told.map(({ event_type }) => event_type)).toEqual(['parse.success', 'parse.success']);
    const one = await call<Delivery>('GET', `${DELIVERIES}/${told[0]!.id}`, { key });
    expect(JSON.parse(one.body.body!).data).toMatchObject({ job_id: parse, job_type: 'parse', file_input });

    // A job that uses an existing parse does not parse again.
    const before = (await log(key)).length;
    await run(product, { ...body, file_input: parse }, key);
    expect(await log(key)).toHaveLength(before);

    const broken = await upload('broken.pdf', '%PDF-1.4 nothing', { key });
    expect((await run(product, { ...body, file_input: broken }, key)).status).toBe('FAILED');
    expect((await log(key))[0]).toMatchObject({ event_type: 'parse.error' });
  });

  it('are notified about the parse of an extract job', async () => {
    const { key } = await createTenant();
    const parameters = { product_type: 'parse_v2', webhook_configurations };
    const { body: saved } = await call<Config>('POST', '/api/v1/beta/configurations', {
      key,
      body: { name: 'listening', parameters },
    });
    const configuration = { data_schema: INVOICE_SCHEMA, parse_config_id: saved.id };
    const file_input = await upload('invoice.md', INVOICE, { key });
    const jobs = [];
    for (const _ of [1, 2]) jobs.push(await run('extract', { file_input, configuration }, key));
    const ids = jobs.map((job) => job.extract_metadata!.parse_job_id);
    const told = await log(key);
    expect(told.map(({ job_id, event_type }) => [job_id, event_type])).toEqual(
      ids.toReversed().map((id) => [id, 'parse.success']),
    );
    for (const id of ids) expect((await waitForDeliveries(id, 1, key))[0]).toMatchObject({ status: 'dead' });

    const broken = await upload('broken.pdf', '%PDF-1.4 nothing', { key });
    const job = await run('extract', { file_input: broken, configuration }, key);
    expect(job.status).toBe('FAILED');
    expect((await log(key))[0]).toMatchObject({ event_type: 'parse.error' });
  });
});
