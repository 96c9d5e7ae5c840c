import { describe, expect, it } from 'vitest';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parsingOfLanguage, parsingOfTier } from '#src/parse/tier-parameters.ts';

describe('how a job’s document is parsed', () => {
  it.each([
    ['fast', { disable_ocr: true }],
    ['cost_effective', {}],
    ['agentic', { high_res_ocr: true }],
    ['agentic_plus', { high_res_ocr: true }],
    ['constructor', {}],
    [null, {}],
  ])('follows from the parse tier %s', (tier, expected) => {
    expect(parsingOfTier(tier)).toEqual(expected);
  });

  it.each([
    ['de', { languages: ['de'] }],
    ['zh', { languages: ['ch_sim', 'ch_tra'] }],
    ['nb', { languages: ['no'] }],
    ['en', {}],
    ['xx', {}],
    [undefined, {}],
  ])('follows from the language %s', (language, expected) => {
    const parameters = parsingOfLanguage(language);
    expect(parameters).toEqual(expected);
    expect(parseParameters.parse(parameters)).toEqual(expected);
  });
});
