import { describe, expect, it } from 'vitest';
import { verifyCitations } from '#src/extraction/citations.ts';
import { BILL, printedPage, textPage } from './pages.ts';

describe('verifyCitations', () => {
  it('keeps citations that occur on the page, with boxes and page size', () => {
    expect(verifyCitations([BILL], [{ page: 1, matching_text: 'NW-2031/77' }])).toEqual([
      {
        page: 1,
        matching_text: 'NW-2031/77',
        bounding_boxes: [{ x: 460, y: 100, w: 50, h: 10 }],
        page_dimensions: { width: 595, height: 842 },
      },
    ]);
  });

  it('returns a box per line for wrapped text and finds values within words', () => {
    const boxes = (matching_text: string) =>
      verifyCitations([BILL], [{ page: 1, matching_text }])[0]?.bounding_boxes;
    expect(boxes('Greta Lind Quay Street 4')).toEqual([
      { x: 40, y: 164, w: 50, h: 10 },
      { x: 40, y: 178, w: 65, h: 10 },
    ]);
    expect(boxes('2031/77')).toEqual([{ x: 460, y: 100, w: 50, h: 10 }]);
  });

  it('drops citations that are absent, on another page or blank', () => {
    const candidates = [
      { page: 1, matching_text: 'NW-2031/78' },
      { page: 2, matching_text: 'NW-2031/77' },
      { page: 1, matching_text: '  ' },
    ];
    expect(verifyCitations([BILL], candidates)).toEqual([]);
  });

  it('finds the page if none is named, ignoring case and whitespace', () => {
    const pages = [textPage('first', [], 0), textPage('the Second\npage', [], 1)];
    expect(verifyCitations(pages, [{ matching_text: 'second PAGE' }])).toMatchObject([{ page: 2 }]);
  });
});

describe('verifyCitations at word and number boundaries', () => {
  it('rejects a fragment of a longer word or number', () => {
    const page = textPage('12 Harbour Road, 12.50 EUR, 1,800 EUR, Harbours, 10kg');
    const found = (matching_text: string) => verifyCitations([page], [{ matching_text }]).length > 0;
    for (const part of ['1', '2.5', '800', 'arbour', 'Harbour Roa', '50']) expect(found(part)).toBe(false);
    for (const whole of ['12', '12.50', '1,800', 'Harbour', '10', 'Road']) expect(found(whole)).toBe(true);
  });

  it('returns the box of the whole word rather than a word with the same beginning', () => {
    const page = printedPage([
      [40, 40, '12 Harbour Road'],
      [40, 60, 'Quantity 1'],
      [40, 80, 'NW-7'],
      [40, 100, 'Number 7'],
    ]);
    const box = (matching_text: string) =>
      verifyCitations([page], [{ matching_text }])[0]?.bounding_boxes?.[0];
    expect(box('1')).toEqual({ x: 85, y: 60, w: 5, h: 10 });
    expect(box('7')).toEqual({ x: 75, y: 100, w: 5, h: 10 });
  });

  it('ignores word boundaries in languages without spaces', () => {
    expect(verifyCitations([textPage('請求書番号は合計金額')], [{ matching_text: '合計' }])).toHaveLength(1);
  });

  it('removes Markdown syntax that the page text does not contain', () => {
    const page = textPage('Total\tGBP 1,800.60\nsee terms_of_use and the guide');
    const cited = (matching_text: string) =>
      verifyCitations([page], [{ matching_text }]).map((citation) => citation.matching_text);
    expect(cited('| **Total** | GBP 1,800.60 |')).toEqual(['Total GBP 1,800.60']);
    expect(cited('see terms_of_use')).toEqual(['see terms_of_use']);
    expect(cited('_see_ `terms_of_use` and the [guide](https://a.test)')).toEqual([
      'see terms_of_use and the guide',
    ]);
    expect(cited('**Subtotal**')).toEqual([]);
  });

  it('reads marks of footnotes as the page prints them', () => {
    const cited = (text: string, matching_text: string) =>
      verifyCitations([textPage(text)], [{ matching_text }]).length;
    expect(cited('The dues2 rose in May.', 'The dues[^p14-2] rose in May')).toBe(1);
    expect(cited('The dues rose in May.', 'The dues[^2] rose in May')).toBe(1);
    expect(cited('The dues rose in May.', 'The dues[^p14-2] rose in May')).toBe(0);
  });
});
