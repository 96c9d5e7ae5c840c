/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { parserParameters } from '#src/reading/plan/layout-parameters.ts';
import { planOf } from '#src/reading/plan/plan.ts';
import { PRESETS, withPreset } from '#src/reading/plan/presets.ts';
import { readingWarnings } from '#src/reading/plan/warnings.ts';

const [presets = ''] = Object.values(
  import.meta.glob<string>('../../../docs/presets.md', { query: '?raw', import: 'default', eager: true }),
);

describe('a preset', () => {
  it('is what the document says', () => {
    const rows = [...presets.matchAll(/^\| `(\w+)` \| `(\w+)` \| (.+) \|$/gm)].map(
      ([, preset, name, value]) => [...[preset, name, value!.replace(/^`(.*)`$/, '$1')]],
    );
    const sets = Object.entries(PRESETS).flatMap(([preset, set]) =>
      Object.entries(set).map(([name, value]) => [preset, name, String(value)]),
    );
    expect(rows.toSorted()).toEqual(sets.toSorted());
  });

  it('stands for parameters, with its version or without', () => {
    for (const preset of ['scientific', 'scientific-v-1', 'scientific-latest']) {
      expect(withPreset({ preset })).toMatchObject({
        hide_headers: true,
        parse_mode: 'parse_page_with_agent',
      });
    }
    expect(withPreset({ preset: 'scientific-v-2' })).toEqual({ preset: 'scientific-v-2' });
  });

  it('gives way to what is given beside it', () => {
    const preset = 'scientific';
    expect(withPreset({ preset, hide_headers: false, hide_footers: null })).toMatchObject({
      hide_headers: false,
      hide_footers: true,
    });
    expect(planOf({ preset })).toMatchObject({ mode: 'agentic', chosenBy: 'preset' });
    expect(planOf({ preset, tier: 'cost_effective' })).toMatchObject({ mode: 'corrected', chosenBy: 'tier' });
  });

  it('is known to the parser by what it stands for', () => {
    expect(parserParameters({ preset: 'forms', hostedllm_key: 'k' })).toMatchObject({
      outlined_table_extraction: true,
      high_res_ocr: true,
    });
    expect(parserParameters({ preset: 'forms', hostedllm_key: 'k' })).not.toHaveProperty('hostedllm_key');
  });

  it('and other names that stand for nothing are told of', () => {
    const given = { preset: 'poetry', version: '1999-01-01', confidence_score_effort: 'utmost' };
    const warned = readingWarnings(given, { hasModel: true, names: [] });
    expect(Object.fromEntries(warned.map(({ field, reason }) => [field, reason]))).toEqual({
      preset: expect.stringContaining('invoice, scientific, technicalDocumentation, forms'),
      version: expect.stringContaining('latest, 2026-01-01'),
      confidence_score_effort: expect.stringContaining('low, medium, high'),
    });
    const fitting = { preset: 'forms-latest', version: 'latest', confidence_score_effort: 'high' };
    expect(readingWarnings(fitting, { hasModel: true, names: [] })).toEqual([]);
    const without = readingWarnings({ preset: 'forms' }, { hasModel: false, names: [] });
    expect(without.map(({ field }) => field)).toEqual(['preset']);
  });
});
