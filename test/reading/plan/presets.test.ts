/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { getParserParameters } from '#src/reading/plan/layout-parameters.ts';
import { resolveReadingPlan } from '#src/reading/plan/plan.ts';
import { applyPreset, PRESETS } from '#src/reading/plan/presets.ts';
import { findReadingWarnings } from '#src/reading/plan/warnings.ts';

const [presets = ''] = Object.values(
  import.meta.glob<string>('../../../docs/reference/presets.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

describe('a preset', () => {
  it('sets exactly the parameters that docs/reference/presets.md lists', () => {
    const rows = [...presets.matchAll(/^\| `(\w+)` \| `(\w+)` \| (.+) \|$/gm)].map(
      ([, preset, name, value]) => [...[preset, name, value!.replace(/^`(.*)`$/, '$1')]],
    );
    const sets = Object.entries(PRESETS).flatMap(([preset, set]) =>
      Object.entries(set).map(([name, value]) => [preset, name, String(value)]),
    );
    expect(rows.toSorted()).toEqual(sets.toSorted());
  });

  it('is found by its name with or without its version, and an unknown version sets nothing', () => {
    for (const preset of ['scientific', 'scientific-v-1', 'scientific-latest']) {
      expect(applyPreset({ preset })).toMatchObject({
        hide_headers: true,
        parse_mode: 'parse_page_with_agent',
      });
    }
    expect(applyPreset({ preset: 'scientific-v-2' })).toEqual({ preset: 'scientific-v-2' });
  });

  it('is overridden by parameters beside it', () => {
    const preset = 'scientific';
    expect(applyPreset({ preset, hide_headers: false, hide_footers: null })).toMatchObject({
      hide_headers: false,
      hide_footers: true,
    });
    expect(resolveReadingPlan({ preset })).toMatchObject({ mode: 'agentic', chosenBy: 'preset' });
    expect(resolveReadingPlan({ preset, tier: 'cost_effective' })).toMatchObject({
      mode: 'corrected',
      chosenBy: 'tier',
    });
  });

  it('is expanded before the parser sees it, without the model key', () => {
    expect(getParserParameters({ preset: 'forms', hostedllm_key: 'k' })).toMatchObject({
      outlined_table_extraction: true,
      high_res_ocr: true,
    });
    expect(getParserParameters({ preset: 'forms', hostedllm_key: 'k' })).not.toHaveProperty('hostedllm_key');
  });

  it('causes a warning if its name or another choice is unknown, or if it needs a missing model', () => {
    const given = { preset: 'poetry', version: '1999-01-01', confidence_score_effort: 'utmost' };
    const warned = findReadingWarnings(given, { hasModel: true, names: [] });
    expect(Object.fromEntries(warned.map(({ field, reason }) => [field, reason]))).toEqual({
      preset: expect.stringContaining('invoice, scientific, technicalDocumentation, forms'),
      version: expect.stringContaining('latest, 2026-01-01'),
      confidence_score_effort: expect.stringContaining('low, medium, high'),
    });
    const fitting = { preset: 'forms-latest', version: 'latest', confidence_score_effort: 'high' };
    expect(findReadingWarnings(fitting, { hasModel: true, names: [] })).toEqual([]);
    const without = findReadingWarnings({ preset: 'forms' }, { hasModel: false, names: [] });
    expect(without.map(({ field }) => field)).toEqual(['preset']);
  });
});
