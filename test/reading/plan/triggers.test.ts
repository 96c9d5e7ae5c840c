import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { findTrigger } from '#src/reading/plan/page-plan.ts';
import { textPage } from '#test/extraction/pages.ts';

const page = (further: Partial<Page>): Page => ({ ...textPage('Pier 14', []), ...further });

describe('a trigger for the model', () => {
  it.each([
    [0.5, /confidence of the page is only 0\.50/],
    [0.95, undefined],
    [undefined, undefined],
  ])('depends on the OCR confidence: %j', (confidence, expected) => {
    const found = findTrigger(page({ ocr: confidence === undefined ? {} : { confidence } }), {});
    if (expected) expect(found).toMatch(expected);
    else expect(found).toBeUndefined();
  });

  it('fires if the page is too long for the regular expression', () => {
    const parameters = { auto_mode_trigger_on_regexp_in_page: '(a{1,30}b){1,20}' };
    expect(findTrigger(page({ text: 'x'.repeat(100_000) }), parameters)).toMatch(/too long/);
    expect(findTrigger(page({ text: 'x' }), parameters)).toBeUndefined();
  });

  it('ignores pictures that are likely noise', () => {
    const figure = {
      ...{ name: 'a.png', pageIndex: 0, width: 1, height: 1, byteSize: 1, confidence: 0 },
      mimeType: 'image/png' as const,
    };
    const parameters = { auto_mode_trigger_on_image_in_page: true };
    expect(findTrigger(page({ figures: [{ ...figure, isLikelyNoise: true }] }), parameters)).toBeUndefined();
    expect(findTrigger(page({ figures: [{ ...figure, isLikelyNoise: false }] }), parameters)).toMatch(
      /picture/,
    );
  });
});
