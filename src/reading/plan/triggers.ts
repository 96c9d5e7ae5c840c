import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/** An OCR engine that is less sure of a page than this may have got it wrong. */
const SURE_OF_PAGE = 0.8;

/** Why `auto_mode` has a model read the page that the parser laid out; undefined: the parser's layout is enough. */
export function triggerOf(page: StoredPage, parameters: ParseParameters): string | undefined {
  const { auto_mode_trigger_on_table_in_page, auto_mode_trigger_on_image_in_page } = parameters;
  const { auto_mode_trigger_on_text_in_page, auto_mode_trigger_on_regexp_in_page } = parameters;
  if (auto_mode_trigger_on_table_in_page && page.blocks.some(({ type }) => type === 'table'))
    return 'auto_mode_trigger_on_table_in_page: the page has a table.';
  if (auto_mode_trigger_on_image_in_page && hasPicture(page))
    return 'auto_mode_trigger_on_image_in_page: the page has a picture.';
  if (auto_mode_trigger_on_text_in_page && hasText(page, auto_mode_trigger_on_text_in_page))
    return 'auto_mode_trigger_on_text_in_page: the page has the text.';
  if (auto_mode_trigger_on_regexp_in_page) {
    const found = search(page.text, auto_mode_trigger_on_regexp_in_page);
    if (found) return `auto_mode_trigger_on_regexp_in_page: ${found}`;
  }
  return unread(page);
}

const hasPicture = ({ figures, blocks }: StoredPage) =>
  figures.some(({ isLikelyNoise }) => !isLikelyNoise) || blocks.some(({ type }) => type === 'figure');

const hasText = ({ text }: StoredPage, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

function search(text: string, pattern: string): string | undefined {
  try {
    return compilePattern(pattern).test(text) ? 'the page matches.' : undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return 'the page is too long for the pattern to be looked for.';
  }
}

function unread({ needsOcr, ocr }: StoredPage): string | undefined {
  if (needsOcr) return 'auto_mode: nothing could read the page.';
  const { confidence } = ocr ?? {};
  if (confidence === undefined || confidence >= SURE_OF_PAGE) return undefined;
  return `auto_mode: the OCR engine is sure of the page by ${confidence.toFixed(2)} only.`;
}
