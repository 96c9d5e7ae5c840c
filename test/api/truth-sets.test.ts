import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, RULES, run } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';
import { createTruthSet, listTruths, TRUTH_SETS } from '#test/support/truth-sets.ts';

const VALUES = { invoice_number: 'INV-2041', total_due: 1163.4 };

const add = (setId: string, truths: object[]) =>
  call<{ truths: { id: string }[] }>('POST', `${TRUTH_SETS}/${setId}/truths`, { body: { truths } });
const importLines = (setId: string, lines: unknown[]) =>
  call('POST', `${TRUTH_SETS}/${setId}/import`, {
    body: { content: lines.map((line) => JSON.stringify(line)).join('\n') },
  });
const collect = (setId: string, body: object) => call('POST', `${TRUTH_SETS}/${setId}/collect`, { body });

describe('a truth set', () => {
  it('has one truth for each file, which a later one replaces', async () => {
    const file_id = await upload('a.md', INVOICE);
    const other = await upload('b.md', INVOICE);
    const id = await createTruthSet('extraction', [{ file_id, values: VALUES }]);
    const added = await add(id, [
      { file_id: other, values: [{ a: 1 }] },
      { file_id, values: { total_due: null } },
    ]);
    expect(added.status).toBe(200);
    expect(await listTruths(id)).toMatchObject([
      { file_id, file_name: 'a.md', values: { total_due: null }, type: null, origin: 'manual' },
      { file_id: other, values: [{ a: 1 }], is_affected: false },
    ]);
    const set = await call(`GET`, `${TRUTH_SETS}/${id}`);
    expect(set.body).toMatchObject({ kind: 'extraction', version: 3, truth_count: 2 });
    const [first] = await listTruths(id, '?page_size=1');
    expect((await call('DELETE', `${TRUTH_SETS}/${id}/truths/${first!.id}`)).status).toBe(204);
    expect((await call('DELETE', `${TRUTH_SETS}/${id}/truths/${first!.id}`)).status).toBe(404);
    expect(await listTruths(id)).toHaveLength(1);
  });

  it('refuses truths of the other kind, of unknown files and without a result', async () => {
    const file_id = await upload('a.md', INVOICE);
    const extraction = await createTruthSet('extraction', []);
    const classification = await createTruthSet('classification', []);
    expect((await add(extraction, [{ file_id, type: 'invoice' }])).status).toBe(422);
    expect((await add(extraction, [{ file_id }])).status).toBe(422);
    expect((await add(classification, [{ file_id, values: {} }])).status).toBe(422);
    expect((await add(classification, [{ file_id }])).status).toBe(422);
    expect((await add(classification, [{ file_id, type: null }])).status).toBe(200);
    const unknown = await add(extraction, [{ file_id: crypto.randomUUID(), values: {} }]);
    expect(unknown.status).toBe(422);
    let deep: unknown = 1;
    for (let level = 0; level < 40; level += 1) deep = { deep };
    expect((await add(extraction, [{ file_id, values: deep }])).status).toBe(422);
    expect(await listTruths(extraction)).toEqual([]);
  });

  it('marks truths whose file was changed, and loses those whose file was deleted', async () => {
    const tenant = await createTenant();
    const caller = { key: tenant.key };
    const init = { key: tenant.key, query: '?external_file_id=changing' };
    const file_id = await upload('a.md', INVOICE, init);
    const id = await createTruthSet('extraction', [{ file_id, values: VALUES }], caller);
    expect(await listTruths(id, '?is_affected=false', caller)).toHaveLength(1);
    const again = await upload('a.md', `${INVOICE}\nPaid.`, init);
    expect(again).toBe(file_id);
    expect(await listTruths(id, '?is_affected=true', caller)).toMatchObject([{ file_id, is_affected: true }]);
    expect((await call('DELETE', `/api/v1/files/${file_id}`, caller)).status).toBe(204);
    expect(await listTruths(id, '', caller)).toEqual([]);
  });
});

describe('an import of truths', () => {
  it('names files by id, name or external id, and saves all or none', async () => {
    const name = `${crypto.randomUUID()}.md`;
    const file_id = await upload(name, INVOICE);
    const id = await createTruthSet('classification', []);
    const imported = await importLines(id, [{ file_name: name, type: 'invoice' }]);
    expect(imported.body).toEqual({ added_count: 1, replaced_count: 0 });
    const replaced = await importLines(id, [{ file_id, type: null }]);
    expect(replaced.body).toEqual({ added_count: 0, replaced_count: 1 });
    const wrong = await importLines(id, [
      { file_id, type: 'letter' },
      { file_name: 'nowhere.md', type: 'letter' },
    ]);
    expect(wrong.status).toBe(422);
    expect(JSON.stringify(wrong.body)).toContain('line 2: no document has the name');
    expect((await importLines(id, [{ file_id, file_name: name, type: 'letter' }])).status).toBe(422);
    expect(JSON.stringify((await importLines(id, [{ file_id, values: {} }])).body)).toContain('field values');
    expect(await listTruths(id)).toMatchObject([{ file_id, type: null, origin: 'imported' }]);
  });
});

describe('reviewed results', () => {
  it('become truths with their corrections, if they were approved', async () => {
    const file_id = await upload('a.md', INVOICE);
    const body = { file_input: file_id, configuration: { data_schema: INVOICE_SCHEMA } };
    const [approved, left] = [await run('extract', body), await run('extract', body)];
    const review = { revision: 0, approved: true, corrections: { '/total_due': 1200 } };
    const path = `/api/v2/extract/${approved.id}/review`;
    expect((await call('PUT', path, { body: review })).status).toBe(200);
    const id = await createTruthSet('extraction', []);
    const job_ids = [approved.id, left.id];
    expect((await collect(id, { job_ids })).body).toEqual({
      added_count: 1,
      replaced_count: 0,
      skipped_count: 0,
    });
    expect(await listTruths(id)).toMatchObject([
      {
        file_id,
        values: { invoice_number: 'INV-2041', total_due: 1200 },
        origin: 'collected',
        job_id: approved.id,
        is_affected: false,
      },
    ]);
    // An approval that was withdrawn is no truth any more.
    await call('PUT', path, { body: { revision: 1, approved: false, corrections: {} } });
    expect((await collect(id, { job_ids })).body).toMatchObject({ added_count: 0, replaced_count: 0 });
    expect((await collect(id, { job_ids: ['ext-unknown'] })).status).toBe(404);
    expect((await collect(id, {})).status).toBe(422);
  });

  it('of a saved configuration become truths, the newest of each file', async () => {
    const file_id = await upload('a.md', INVOICE);
    const parameters = { product_type: 'classify_v2', rules: RULES };
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: `rules ${crypto.randomUUID()}`, parameters },
    });
    const configuration_id = saved.body.id;
    for (const corrections of [null, { type: null }]) {
      const job = await run('classify', { file_input: file_id, configuration_id });
      const review = { revision: 0, approved: true, corrections };
      expect((await call('PUT', `/api/v2/classify/${job.id}/review`, { body: review })).status).toBe(200);
    }
    const id = await createTruthSet('classification', []);
    expect((await collect(id, { configuration_id })).body).toEqual({
      added_count: 1,
      replaced_count: 0,
      skipped_count: 1,
    });
    expect(await listTruths(id)).toMatchObject([{ file_id, type: null, origin: 'collected' }]);
    expect((await collect(id, { configuration_id: crypto.randomUUID() })).status).toBe(404);
    // A configuration of the other kind has no results for the set.
    const other = await createTruthSet('extraction', []);
    expect((await collect(other, { configuration_id })).status).toBe(404);
  });
});
