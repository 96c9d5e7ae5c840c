import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, RULES } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';
import {
  ACCURACY_RUNS,
  createTruthSet,
  listAccuracyResults,
  measureAccuracy,
  TRUTH_SETS,
  untilAccuracyRunEnds,
} from '#test/support/truth-sets.ts';

interface Report {
  fields: {
    field: string;
    correct_count: number;
    wrong_count: number;
    missing_count: number;
    invented_count: number;
    f1: number | null;
    calibration: { count: number } | null;
  }[];
  classes: { type: string | null; expected_count: number; predicted_count: number; correct_count: number }[];
  confusion: { expected: string | null; actual: string | null; count: number }[];
  calibration: { count: number; error: number } | null;
}

const report = async (id: string) => (await call<Report>('GET', `${ACCURACY_RUNS}/${id}/report`)).body;
const execute = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const LETTER = '# Letter\n\nDear Ada,\n\nthe tide was high and the ships are well.\n\nSincerely, Charles\n';

/** Creates an extraction set in which one of the two invoices expects another total and a missing fax number. */
async function invoices() {
  const right = await upload('a.md', INVOICE);
  const wrong = await upload('b.md', INVOICE);
  const values = {
    invoice_number: 'inv-2041',
    invoice_date: '14 March 2026',
    total_due: '1.163,40',
    fax: null,
  };
  const truth_set_id = await createTruthSet('extraction', [
    { file_id: right, values },
    { file_id: wrong, values: { invoice_number: 'INV-2041', total_due: 12, fax: '030 1234' } },
  ]);
  return { right, wrong, truth_set_id, extract_configuration: { data_schema: INVOICE_SCHEMA } };
}

describe('an accuracy run of an extraction', () => {
  it('measures every field, and lists the values that are not as expected', async () => {
    const { right, wrong, truth_set_id, extract_configuration } = await invoices();
    const done = await measureAccuracy({ truth_set_id, extract_configuration, name: 'First' });
    // Five of six values are found. One of them is wrong, and one is missing.
    expect(done).toMatchObject({
      kind: 'extraction',
      name: 'First',
      status: 'COMPLETED',
      file_count: 2,
      summary: { completed_count: 2, failed_count: 0 },
    });
    const { precision, recall, f1, exact, macro_f1, calibration_error } = done.summary!.metrics;
    expect([precision, recall, exact]).toEqual([4 / 5, 4 / 6, 0.5]);
    expect(f1).toBeCloseTo(8 / 11, 9);
    expect(macro_f1).toBeCloseTo((1 + 1 + 0.5 + 0) / 4, 9);
    expect(calibration_error).toBeGreaterThan(0);
    const found = await report(done.id);
    expect(found.fields).toMatchObject([
      { field: 'invoice_number', correct_count: 2, f1: 1, calibration: { count: 2 } },
      { field: 'invoice_date', correct_count: 1, f1: 1 },
      { field: 'total_due', correct_count: 1, wrong_count: 1, f1: 0.5 },
      { field: 'fax', correct_count: 0, missing_count: 1, invented_count: 0, f1: 0, calibration: null },
    ]);
    expect(found.calibration?.count).toBe(5);
    expect(await listAccuracyResults(done.id)).toMatchObject([
      { file_id: right, metrics: { f1: 1, exact: 1 }, differences: [] },
      {
        file_id: wrong,
        metrics: { f1: 0.4, exact: 0 },
        differences: [
          { field: 'total_due', kind: 'wrong', expected: 12, actual: 1163.4, confidence: expect.any(Number) },
          { field: 'fax', kind: 'missing', expected: '030 1234', actual: null, confidence: null },
        ],
      },
    ]);
    const ids = async (query: string) =>
      (await listAccuracyResults(done.id, query)).map(({ file_id }) => file_id);
    expect(await ids('?is_correct=true')).toEqual([right]);
    expect(await ids('?field=fax')).toEqual([wrong]);
    expect(await ids('?field=invoice_number')).toEqual([]);
  });

  it('is compared with another configuration by file and by field', async () => {
    const { truth_set_id, right, wrong, extract_configuration } = await invoices();
    const after = await measureAccuracy({ truth_set_id, extract_configuration, name: 'All fields' });
    const fewer = { type: 'object', properties: { invoice_number: { type: 'string' } } };
    const configuration = { data_schema: fewer };
    const before = await measureAccuracy({
      truth_set_id,
      extract_configuration: configuration,
      name: 'Number',
    });
    const compare = async (query: string) =>
      (await call('GET', `${ACCURACY_RUNS}/${after.id}/compare?with=${before.id}${query}`)).body;
    expect(await compare('')).toMatchObject({
      metric: 'f1',
      compared_count: 2,
      edited_count: 0,
      improved_count: 1,
      worsened_count: 1,
      summary: expect.stringContaining('“All fields”'),
      changed_fields: [
        { field: 'invoice_date', baseline_f1: 0, f1: 1 },
        { field: 'total_due', baseline_f1: 0, f1: 0.5 },
      ],
      changes: [
        {
          file_id: right,
          baseline_value: 0.5,
          value: 1,
          change: 'improved',
          fields: [
            { field: 'invoice_date', baseline_f1: 0, f1: 1 },
            { field: 'total_due', baseline_f1: 0, f1: 1 },
          ],
        },
        { file_id: wrong, baseline_value: 0.5, value: 0.4, change: 'worsened' },
      ],
    });
    expect(await compare('&field=invoice_date')).toMatchObject({
      compared_count: 1,
      mean: 1,
      baseline_mean: 0,
      verdict: 'better',
      summary: expect.stringMatching(/in f1 of invoice_date; 1 file improved, 0 got worse\.$/),
    });
    // A truth that was changed between the runs makes the file incomparable.
    await call('POST', `${TRUTH_SETS}/${truth_set_id}/truths`, {
      body: { truths: [{ file_id: wrong, values: { invoice_number: 'INV-1' } }] },
    });
    const later = await measureAccuracy({ truth_set_id, extract_configuration });
    const edited = await call('GET', `${ACCURACY_RUNS}/${later.id}/compare?with=${before.id}`);
    expect(edited.body).toMatchObject({ compared_count: 1, edited_count: 1 });
    expect(
      (await call('GET', `${ACCURACY_RUNS}/${later.id}/compare?with=${before.id}&metric=accuracy`)).status,
    ).toBe(422);
  });

  it('loses the results of deleted files, and keeps its summary', async () => {
    const { truth_set_id, right, wrong, extract_configuration } = await invoices();
    const done = await measureAccuracy({ truth_set_id, extract_configuration });
    expect((await call('DELETE', `/api/v1/files/${wrong}`)).status).toBe(204);
    expect(await listAccuracyResults(done.id)).toMatchObject([{ file_id: right }]);
    const { body } = await call('GET', `${ACCURACY_RUNS}/${done.id}`);
    expect(body).toMatchObject({ file_count: 1, summary: done.summary });
    expect((await report(done.id)).fields.find(({ field }) => field === 'total_due')).toMatchObject({
      f1: 1,
    });
  });

  it('counts a file that cannot be read as failed, and continues after an interruption', async () => {
    const tenant = await createTenant();
    const caller = { key: tenant.key };
    const files = [await upload('a.md', INVOICE, caller), await upload('b.md', ' ', caller)];
    const values = { invoice_number: 'INV-2041' };
    const truth_set_id = await createTruthSet(
      'extraction',
      files.map((file_id) => ({ file_id, values })),
      caller,
    );
    const extract_configuration = { data_schema: INVOICE_SCHEMA };
    const done = await measureAccuracy({ truth_set_id, extract_configuration }, caller);
    expect(done).toMatchObject({ status: 'COMPLETED', summary: { completed_count: 1, failed_count: 1 } });
    const usage = () =>
      env.DB.prepare('select count(*) as n from usage_records where project_id = ?')
        .bind(tenant.projectId)
        .first('n');
    const before = await usage();
    await execute(
      `update accuracy_runs set status = 'RUNNING', consumer = 'ended', lease_until = 1, summary = null where id = ?`,
      done.id,
    );
    await execute(
      `update accuracy_results set status = 'pending', metrics = null, outcome = null, attempts = 0
        where run_id = ? and file_id = ?`,
      ...[done.id, files[0]],
    );
    await createObjects(env).jobIntake(tenant.projectId).advanceEvaluation(done.id);
    expect(await untilAccuracyRunEnds(done.id, caller)).toMatchObject({
      status: 'COMPLETED',
      summary: { completed_count: 1, failed_count: 1, metrics: { f1: 1 } },
    });
    // A file that is evaluated again counts once.
    expect(await usage()).toBe(before);
  });

  it('needs a configuration that fits the set, and a set with truths', async () => {
    const { truth_set_id, extract_configuration } = await invoices();
    const start = async (body: object) => (await call('POST', ACCURACY_RUNS, { body })).status;
    expect(await start({ truth_set_id })).toBe(422);
    expect(await start({ truth_set_id, classify_configuration: { rules: RULES } })).toBe(422);
    expect(await start({ truth_set_id, configuration_id: crypto.randomUUID() })).toBe(404);
    expect(await start({ truth_set_id, extract_configuration: { data_schema: { type: 'array' } } })).toBe(
      400,
    );
    const empty = await createTruthSet('extraction', []);
    expect(await start({ truth_set_id: empty, extract_configuration })).toBe(409);
    expect(await start({ truth_set_id: crypto.randomUUID(), extract_configuration })).toBe(404);
  });
});

describe('an accuracy run of a classification', () => {
  it('has a confusion matrix in which unclassified files are a type of their own', async () => {
    const invoice = await upload('a.md', INVOICE);
    const letter = await upload('b.md', LETTER);
    const truth_set_id = await createTruthSet('classification', [
      { file_id: invoice, type: RULES[0]!.type },
      { file_id: letter, type: null },
    ]);
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: {
        name: `rules ${crypto.randomUUID()}`,
        parameters: { product_type: 'classify_v2', rules: RULES.slice(0, 1) },
      },
    });
    const done = await measureAccuracy({ truth_set_id, configuration_id: saved.body.id });
    expect(done).toMatchObject({ kind: 'classification', status: 'COMPLETED' });
    expect(done.name).toContain('rules ');
    const results = await listAccuracyResults(done.id);
    const types = results.map(({ type }) => type);
    expect(types[0]).toBe(RULES[0]!.type);
    const found = await report(done.id);
    expect(found.confusion.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(found.confusion).toContainEqual({ expected: RULES[0]!.type, actual: RULES[0]!.type, count: 1 });
    expect(found.confusion).toContainEqual({ expected: null, actual: types[1], count: 1 });
    expect(found.calibration?.count).toBe(2);
    const accuracy = types[1] === null ? 1 : 0.5;
    expect(done.summary?.metrics.accuracy).toBe(accuracy);
    const compared = await call('GET', `${ACCURACY_RUNS}/${done.id}/compare?with=${done.id}`);
    expect(compared.body).toMatchObject({
      metric: 'accuracy',
      compared_count: 2,
      unchanged_count: 2,
      changes: [],
    });
  });

  it('is cancelled and deleted with its results', async () => {
    const file_id = await upload('a.md', INVOICE);
    const truth_set_id = await createTruthSet('classification', [{ file_id, type: 'letter' }]);
    const body = { truth_set_id, classify_configuration: { rules: RULES } };
    const { id } = (await call<{ id: string }>('POST', ACCURACY_RUNS, { body })).body;
    const cancelled = await call<{ status: string }>('POST', `${ACCURACY_RUNS}/${id}/cancel`);
    expect(['CANCELLED', 'COMPLETED']).toContain(cancelled.body.status);
    expect((await call('DELETE', `${ACCURACY_RUNS}/${id}`)).status).toBe(204);
    expect((await call('GET', `${ACCURACY_RUNS}/${id}`)).status).toBe(404);
    const left = await env.DB.prepare('select count(*) as n from accuracy_results where run_id = ?')
      .bind(id)
      .first('n');
    expect(left).toBe(0);
    expect((await call('DELETE', `${TRUTH_SETS}/${truth_set_id}`)).status).toBe(204);
  });
});
