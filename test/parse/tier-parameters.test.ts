import { describe, expect, it } from 'vitest';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { getLanguageParameters, getTierParameters } from '#src/parse/tier-parameters.ts';

describe('parse parameters of a job', () => {
  it.each([
    ['fast', { disable_ocr: true }],
    ['cost_effective', {}],
    ['agentic', { high_res_ocr: true }],
    ['agentic_plus', { high_res_ocr: true }],
    ['constructor', {}],
    [null, {}],
  ])('follow from the parse tier %s', (tier, expected) => {
    expect(getTierParameters(tier)).toEqual(expected);
  });

  it.each([
    ['de', { languages: ['de'] }],
    ['zh', { languages: ['ch_sim', 'ch_tra'] }],
    ['nb', { languages: ['no'] }],
    ['en', {}],
    ['xx', {}],
    [undefined, {}],
  ])('follow from the language %s', (language, expected) => {
    const parameters = getLanguageParameters(language);
    expect(parameters).toEqual(expected);
    expect(parseParameters.parse(parameters)).toEqual(expected);
  });
});
