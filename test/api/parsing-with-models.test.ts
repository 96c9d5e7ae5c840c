import { describe, expect, it } from 'vitest';
import type { Warning } from '#src/lib/schema/effect.ts';
import { resolveVersion } from '#src/parse/versions.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, type JobBody, run } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const listFields = ({ warnings = [] }: { warnings?: Warning[] }) =>
  warnings.map(({ field }) => field).toSorted();
const asked = { parse_mode: 'parse_page_with_lvm', system_prompt: 'Read.', premium_mode: true };

describe('parameters that need a missing language model', () => {
  it('cause warnings for parse jobs, which the parser then reads alone', async () => {
    const file_id = await upload('invoice.md', INVOICE);
    const { body } = await call<JobBody & { warnings: Warning[] }>('POST', '/api/v2/parse', {
      body: { file_id, configuration: asked },
    });
    const at = ['configuration.parse_mode', 'configuration.premium_mode', 'configuration.system_prompt'];
    expect(listFields(body)).toEqual(at);
    const job = await run('parse', { file_id, configuration: asked });
    const read = await call<JobBody>('GET', `/api/v2/parse/${job.id}?expand=metadata&expand=text`);
    expect(JSON.stringify(read.body.text)).toContain('INV-2041');
    const { pages } = read.body.metadata as unknown as { pages: object[] };
    expect(pages).toEqual([
      {
        ...{ page_number: 1, success: true, label: '1' },
        read_by: {
          ...{ mode: 'layout', model: null, version: null },
          reason: 'No language model was configured for parsing.',
        },
        ...{ confidence: null, unsupported: null, misplaced: null, missing: null, read_from_pictures: null },
        ...{ formulas: null, glyphs: null, parser_version: resolveVersion({}) },
      },
    ]);
  });

  it('cause warnings for pipelines and saved configurations', async () => {
    const { key } = await createTenant();
    const at = (member: string) =>
      Object.keys(asked)
        .map((name) => `${member}.${name}`)
        .toSorted();
    const body = { name: 'papers', parse_parameters: asked };
    const pipeline = await call<{ id: string; warnings: Warning[] }>('POST', '/api/v1/pipelines', {
      key,
      body,
    });
    expect(listFields(pipeline.body)).toEqual(at('parse_parameters'));
    const one = `/api/v1/pipelines/${pipeline.body.id}`;
    const renamed = await call<{ warnings: Warning[] }>('PUT', one, { key, body: { name: 'other' } });
    expect(listFields(renamed.body)).toEqual([]);
    const changed = await call<{ warnings: Warning[] }>('PUT', one, {
      key,
      body: { parse_parameters: asked },
    });
    expect(listFields(changed.body)).toEqual(at('parse_parameters'));
    const upserted = await call<{ warnings: Warning[] }>('PUT', '/api/v1/pipelines', { key, body });
    expect(listFields(upserted.body)).toEqual(at('parse_parameters'));
    const saved = await call<{ warnings: Warning[] }>('POST', '/api/v1/beta/configurations', {
      key,
      body: { name: 'eyes', parameters: { product_type: 'parse_v2', ...asked } },
    });
    expect(listFields(saved.body)).toEqual(at('parameters'));
  });

  it('cause no warning if the parser does what they ask', async () => {
    const file_id = await upload('invoice.md', INVOICE);
    const configuration = { parse_mode: 'parse_page_without_llm', fast_mode: false };
    const { body } = await call<JobBody & { warnings?: Warning[] }>('POST', '/api/v2/parse', {
      body: { file_id, configuration },
    });
    expect(body.warnings).toBeUndefined();
  });
});
