import { describe, expect, it } from 'vitest';
import { applyClassifyDefaults, classifyConfiguration } from '#src/classification/configuration.ts';
import { applyExtractDefaults, extractConfiguration } from '#src/extraction/configuration.ts';

const data_schema = { type: 'object', properties: { a: { type: 'string' } } };
const rule = { type: 'bill', description: 'A request for payment.' };

function errorAt(result: {
  success: boolean;
  error?: { issues: { path: PropertyKey[]; message: string }[] };
}): string {
  return result.error?.issues.map((issue) => issue.path.join('.')).join(' ') ?? '';
}

describe('extractConfiguration', () => {
  it('applies the documented defaults', () => {
    expect(applyExtractDefaults(extractConfiguration.parse({ data_schema, tier: 'agentic' }))).toMatchObject({
      tier: 'agentic',
      parse_tier: 'agentic',
      cite_sources: false,
      confidence_scores: false,
      extraction_target: 'per_doc',
      version: 'latest',
    });
  });

  it.each([
    [{ max_pages: 0 }, 'max_pages'],
    [{ max_pages: 1.5 }, 'max_pages'],
    [{ target_pages: '3-1' }, 'target_pages'],
    [{ tier: 'free' }, 'tier'],
    [{ extraction_target: 'per_line' }, 'extraction_target'],
    [{ version: 'yesterday' }, 'version'],
    [{ system_prompt: 'x'.repeat(100_001) }, 'system_prompt'],
    [
      { data_schema: { type: 'object', properties: { a: { default: 1 } } } },
      'data_schema.properties.a.default',
    ],
  ])('rejects %j', (fields, path) => {
    expect(errorAt(extractConfiguration.safeParse({ data_schema, ...fields }))).toBe(path);
  });

  it.each(['latest', '2026-10-01', null])('accepts version %s', (version) => {
    expect(extractConfiguration.safeParse({ data_schema, version }).success).toBe(true);
  });
});

describe('classifyConfiguration', () => {
  it('applies the documented defaults', () => {
    expect(applyClassifyDefaults(classifyConfiguration.parse({ rules: [rule] }))).toEqual({
      rules: [rule],
      mode: 'FAST',
      parsing_configuration: { lang: 'en' },
    });
  });

  it.each([
    [{ rules: [] }, 'rules'],
    [{ rules: [{ ...rule, description: 'too short' }] }, 'rules.0.description'],
    [{ rules: [{ ...rule, description: 'x'.repeat(2001) }] }, 'rules.0.description'],
    [{ rules: [{ ...rule, type: 'x'.repeat(51) }] }, 'rules.0.type'],
    [{ rules: [rule, rule] }, 'rules.1.type'],
    [{ rules: [rule], mode: 'SLOW' }, 'mode'],
    [{ rules: [rule], parsing_configuration: { lang: 'english' } }, 'parsing_configuration.lang'],
    [{ rules: [rule], parsing_configuration: { target_pages: 'all' } }, 'parsing_configuration.target_pages'],
  ])('rejects %j', (configuration, path) => {
    expect(errorAt(classifyConfiguration.safeParse(configuration))).toBe(path);
  });
});
