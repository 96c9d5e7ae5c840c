import { describe, expect, it } from 'vitest';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveReadingPlan } from '#src/reading/plan/plan.ts';
import { findReadingWarnings } from '#src/reading/plan/warnings.ts';

const way = (parameters: ParseParameters) => {
  const { mode, usesVision: sees, repairs, usesNeighbours: neighbours } = resolveReadingPlan(parameters);
  return [mode, sees && 'sees', repairs && 'repairs', neighbours && 'neighbours'].filter(Boolean).join(' ');
};

describe('the reading plan', () => {
  it.each<[ParseParameters, string]>([
    [{}, 'layout'],
    [{ parse_mode: 'parse_page_without_llm' }, 'layout'],
    [{ parse_mode: 'parse_page_with_llm' }, 'corrected'],
    [{ parse_mode: 'parse_page_with_lvm' }, 'vision sees'],
    [{ parse_mode: 'parse_page_with_agent' }, 'agentic sees repairs'],
    [{ parse_mode: 'parse_page_with_layout_agent' }, 'agentic sees repairs'],
    [{ parse_mode: 'parse_document_with_llm' }, 'document neighbours'],
    [{ parse_mode: 'parse_document_with_lvm' }, 'document sees neighbours'],
    [{ parse_mode: 'parse_document_with_agent' }, 'document sees repairs neighbours'],
    [{ tier: 'fast' }, 'text'],
    [{ tier: 'cost_effective' }, 'corrected'],
    [{ tier: 'agentic' }, 'agentic sees repairs'],
    [{ tier: 'agentic_plus' }, 'document sees repairs neighbours'],
    [{ tier: 'constructor' }, 'layout'],
    [{ fast_mode: true }, 'text'],
    [{ premium_mode: true }, 'agentic sees repairs'],
    [{ use_vendor_multimodal_model: true }, 'vision sees'],
    [{ premium_llm_mode: true }, 'vision sees'],
    [{ continuous_mode: true }, 'document neighbours'],
    [{ premium_mode: false, continuous_mode: true }, 'document neighbours'],
    [{ fast_mode: true, tier: 'agentic', parse_mode: 'parse_page_with_llm' }, 'corrected'],
    [{ continuous_mode: true, premium_mode: true, fast_mode: true }, 'text'],
  ])('chooses the mode for %j', (parameters, expected) => {
    expect(way(parameters)).toBe(expected);
  });

  it('uses the model that the parameters name', () => {
    const vision = { parse_mode: 'parse_page_with_lvm', vendor_multimodal_model_name: 'eye' } as const;
    expect(resolveReadingPlan(vision).modelName).toBe('eye');
    expect(resolveReadingPlan({ ...vision, model: 'mind' }).modelName).toBe('mind');
    expect(resolveReadingPlan({ ...vision, parse_mode: 'parse_page_with_llm' }).modelName).toBeUndefined();
  });
});

describe('warnings about parameters without effect', () => {
  const HERE = { hasModel: true, names: ['mind'] };
  const warned = (
    parameters: ParseParameters,
    installation: Parameters<typeof findReadingWarnings>[1] = HERE,
  ) =>
    Object.fromEntries(
      findReadingWarnings(parameters, installation).map(({ field, reason }) => [field, reason]),
    );

  it('include modes that another parameter overrides', () => {
    const parameters = { premium_mode: true, fast_mode: true, tier: 'fast' };
    expect(warned(parameters)).toEqual({ premium_mode: 'tier chooses another mode.' });
  });

  it('include parameters that need a model if none is configured', () => {
    const parameters = { premium_mode: true, user_prompt: 'Read.', model: 'mind' };
    expect(Object.keys(warned(parameters, { hasModel: false, names: [] })).toSorted()).toEqual([
      'model',
      'premium_mode',
      'user_prompt',
    ]);
    expect(warned(parameters)).toEqual({});
  });

  it('include instructions if no mode uses a model', () => {
    const parameters = { system_prompt: 'Read.', is_formatting_instruction: false };
    expect(warned(parameters)).toEqual({ system_prompt: expect.stringContaining('No mode') });
    expect(Object.keys(warned({ ...parameters, fast_mode: true }))).toEqual(['system_prompt']);
  });

  it('include unknown model names and unknown tiers', () => {
    const vision = { parse_mode: 'parse_page_with_lvm' } as const;
    expect(warned({ ...vision, model: 'other' })).toEqual({ model: expect.stringContaining('mind') });
    expect(warned({ ...vision, model: 'mind', vendor_multimodal_model_name: 'mind' })).toEqual({
      vendor_multimodal_model_name: 'model takes precedence.',
    });
    expect(warned({ tier: 'golden' })).toEqual({ tier: 'There is no such tier.' });
  });

  it('include triggers without auto_mode, and modes that auto_mode overrides', () => {
    const trigger = { auto_mode_trigger_on_table_in_page: true };
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...trigger })).toEqual({
      auto_mode_trigger_on_table_in_page: expect.stringContaining('without auto_mode'),
    });
    expect(warned({ auto_mode: true, ...trigger })).toEqual({});
    expect(warned({ auto_mode: true, ...trigger, parse_mode: 'parse_page_without_llm' })).toEqual({});
    expect(warned({ auto_mode: true, tier: 'fast' })).toEqual({ tier: 'auto_mode chooses another mode.' });
    const without = warned(
      { auto_mode: true, premium_mode: true, ...trigger },
      { hasModel: false, names: [] },
    );
    expect(Object.keys(without).toSorted()).toEqual([
      'auto_mode',
      'auto_mode_trigger_on_table_in_page',
      'premium_mode',
    ]);
  });

  it('include image and layout options if the mode does not use them', () => {
    const asked = { extract_charts: true, specialized_image_parsing: true, layout_aware: true };
    const blind = expect.stringContaining('no pictures');
    expect(warned({ parse_mode: 'parse_page_with_llm', ...asked })).toEqual({
      extract_charts: blind,
      specialized_image_parsing: blind,
    });
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...asked })).toEqual({});
    expect(Object.keys(warned(asked)).toSorted()).toEqual(Object.keys(asked).toSorted());
  });

  it('include chart options that a more thorough one overrides', () => {
    const asked = { extract_charts: true, specialized_chart_parsing_plus: true };
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...asked })).toEqual({
      extract_charts: 'specialized_chart_parsing_plus takes precedence.',
    });
  });

  it('include deprecated parameters that another parameter replaces', () => {
    const vision = { parse_mode: 'parse_page_with_lvm', is_formatting_instruction: true } as const;
    expect(Object.keys(warned(vision))).toEqual(['is_formatting_instruction']);
    const both = { ...vision, parsing_instruction: 'a', formatting_instruction: 'b' };
    expect(Object.keys(warned(both))).toEqual(['parsing_instruction']);
  });
});
