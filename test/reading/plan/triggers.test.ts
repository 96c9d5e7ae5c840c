import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { triggerOf } from '#src/reading/plan/ways.ts';
import { textPage } from '#test/extraction/pages.ts';

const page = (further: Partial<Page>): Page => ({ ...textPage('Pier 14', []), ...further });

describe('a page is read by a model', () => {
  it.each([
    [0.5, /sure of the page by 0\.50/],
    [0.95, undefined],
    [undefined, undefined],
  ])('where the OCR engine is sure of it by %j', (confidence, expected) => {
    const found = triggerOf(page({ ocr: confidence === undefined ? {} : { confidence } }), {});
    if (expected) expect(found).toMatch(expected);
    else expect(found).toBeUndefined();
  });

  it('where it is too long for the pattern', () => {
    const parameters = { auto_mode_trigger_on_regexp_in_page: '(a{1,30}b){1,20}' };
    expect(triggerOf(page({ text: 'x'.repeat(100_000) }), parameters)).toMatch(/too long/);
    expect(triggerOf(page({ text: 'x' }), parameters)).toBeUndefined();
  });

  it('not for a picture that is noise', () => {
    const figure = {
      ...{ name: 'a.png', pageIndex: 0, width: 1, height: 1, byteSize: 1, confidence: 0 },
      mimeType: 'image/png' as const,
    };
    const parameters = { auto_mode_trigger_on_image_in_page: true };
    expect(triggerOf(page({ figures: [{ ...figure, isLikelyNoise: true }] }), parameters)).toBeUndefined();
    expect(triggerOf(page({ figures: [{ ...figure, isLikelyNoise: false }] }), parameters)).toMatch(
      /picture/,
    );
  });
});
