import { describe, expect, it } from 'vitest';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { planOf } from '#src/reading/plan/plan.ts';
import { readingWarnings } from '#src/reading/plan/warnings.ts';

const way = (parameters: ParseParameters) => {
  const { mode, sees, repairs, neighbours } = planOf(parameters);
  return [mode, sees && 'sees', repairs && 'repairs', neighbours && 'neighbours'].filter(Boolean).join(' ');
};

describe('the way pages are read', () => {
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
  ])('of %j', (parameters, expected) => {
    expect(way(parameters)).toBe(expected);
  });

  it('is that of the model which the parameters name', () => {
    const vision = { parse_mode: 'parse_page_with_lvm', vendor_multimodal_model_name: 'eye' } as const;
    expect(planOf(vision).modelName).toBe('eye');
    expect(planOf({ ...vision, model: 'mind' }).modelName).toBe('mind');
    expect(planOf({ ...vision, parse_mode: 'parse_page_with_llm' }).modelName).toBeUndefined();
  });
});

describe('parameters that change nothing', () => {
  const HERE = { hasModel: true, names: ['mind'] };
  const warned = (parameters: ParseParameters, installation: Parameters<typeof readingWarnings>[1] = HERE) =>
    Object.fromEntries(readingWarnings(parameters, installation).map(({ field, reason }) => [field, reason]));

  it('are those that another one overrules', () => {
    const parameters = { premium_mode: true, fast_mode: true, tier: 'fast' };
    expect(warned(parameters)).toEqual({ premium_mode: 'tier chooses another mode.' });
  });

  it('are those that need a model where there is none', () => {
    const parameters = { premium_mode: true, user_prompt: 'Read.', model: 'mind' };
    expect(Object.keys(warned(parameters, { hasModel: false, names: [] })).toSorted()).toEqual([
      'model',
      'premium_mode',
      'user_prompt',
    ]);
    expect(warned(parameters)).toEqual({});
  });

  it('are instructions where no mode calls a model', () => {
    const parameters = { system_prompt: 'Read.', is_formatting_instruction: false };
    expect(warned(parameters)).toEqual({ system_prompt: expect.stringContaining('No mode') });
    expect(Object.keys(warned({ ...parameters, fast_mode: true }))).toEqual(['system_prompt']);
  });

  it('are names that no model has, and tiers that there are not', () => {
    const vision = { parse_mode: 'parse_page_with_lvm' } as const;
    expect(warned({ ...vision, model: 'other' })).toEqual({ model: expect.stringContaining('mind') });
    expect(warned({ ...vision, model: 'mind', vendor_multimodal_model_name: 'mind' })).toEqual({
      vendor_multimodal_model_name: 'model names the model.',
    });
    expect(warned({ tier: 'golden' })).toEqual({ tier: 'There is no such tier.' });
  });

  it('are triggers without auto_mode, and what a trigger overrules', () => {
    const trigger = { auto_mode_trigger_on_table_in_page: true };
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...trigger })).toEqual({
      auto_mode_trigger_on_table_in_page: expect.stringContaining('auto_mode is not set'),
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

  it('are what concerns pictures where none is looked at, and layouts where no model reads', () => {
    const asked = { extract_charts: true, specialized_image_parsing: true, layout_aware: true };
    const blind = expect.stringContaining('no pictures');
    expect(warned({ parse_mode: 'parse_page_with_llm', ...asked })).toEqual({
      extract_charts: blind,
      specialized_image_parsing: blind,
    });
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...asked })).toEqual({});
    expect(Object.keys(warned(asked)).toSorted()).toEqual(Object.keys(asked).toSorted());
  });

  it('are ways of reading charts beside a more thorough one', () => {
    const asked = { extract_charts: true, specialized_chart_parsing_plus: true };
    expect(warned({ parse_mode: 'parse_page_with_lvm', ...asked })).toEqual({
      extract_charts: 'specialized_chart_parsing_plus says how charts are read.',
    });
  });

  it('are forms that another form replaces', () => {
    const vision = { parse_mode: 'parse_page_with_lvm', is_formatting_instruction: true } as const;
    expect(Object.keys(warned(vision))).toEqual(['is_formatting_instruction']);
    const both = { ...vision, parsing_instruction: 'a', formatting_instruction: 'b' };
    expect(Object.keys(warned(both))).toEqual(['parsing_instruction']);
  });
});
