import { z } from 'zod';
import { targetPages } from '#src/lib/text/target-pages.ts';
import { checkedText, flag, fraction, oneOf, pageCount, parameter, secretText, text } from './define.ts';

/** Maximum length of a password in characters, for all formats. */
const MAX_PASSWORD = 255;

/**
 * Defines the fraction of a page that is cut off on one side. It is less than 1, so that a part of the page
 * remains.
 */
const cut = (side: string, of: string) =>
  parameter('number, 0 to less than 1', z.number().min(0).lt(1), {
    default: '0',
    description: `PDF: fraction of the page ${of} that is cut off at the ${side} before reading, also from the pictures that OCR and models read. Opposite sides together must be less than 1.`,
  });

/** Parses `bounding_box` into four fractions. Returns `undefined` if the text is not a bounding box. */
function parseBoundingBox(box: string): [number, number, number, number] | undefined {
  const sides = box.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isBox = sides.length === 4 && sides.every((side) => side >= 0 && side <= 1);
  return isBox ? (sides as [number, number, number, number]) : undefined;
}

/** Parameters that select pages and page areas, and determine what happens if a page cannot be read. */
export const pageParameters = {
  target_pages: checkedText(
    'page numbers',
    (pages) => targetPages.safeParse(pages).error?.issues[0]?.message,
    {
      default: 'all pages',
      description: 'Pages to read: 1-based numbers and ranges, such as `1-3,7`.',
    },
  ),
  max_pages: pageCount({ description: 'Maximum number of pages to read. 0 reads all pages.' }),
  max_pages_enforced: pageCount({
    description:
      'A document with more pages fails with `TOO_MANY_PAGES` and no page is read, regardless of `max_pages` and `target_pages`. 0 sets no limit.',
  }),
  password: secretText(MAX_PASSWORD, {
    description:
      'Password of a protected file: PDF, Office (AES, RC4), OpenDocument (AES, Blowfish), and encrypted files in a zip archive, also if it is attached to an e-mail. Encrypted at rest and masked in answers. A missing or wrong password fails the file with `FILE_IS_PROTECTED`, a PDF with `PDF_IS_PROTECTED`. The pictures of a protected file are created while it is parsed, because the parser does not store the password.',
  }),
  bounding_box: checkedText(
    'four fractions',
    (box) =>
      parseBoundingBox(box) ? undefined : 'must be four fractions from 0 to 1: "top,right,bottom,left"',
    {
      description:
        'PDF: fractions that are cut off the four sides, as `top,right,bottom,left`. A `bbox_*` parameter takes precedence for its side.',
    },
  ),
  bbox_bottom: cut('bottom', 'height'),
  bbox_left: cut('left', 'width'),
  bbox_right: cut('right', 'width'),
  bbox_top: cut('top', 'height'),
  page_error_tolerance: fraction({
    default: '0.05',
    description:
      'Share of pages that may be unreadable before the file fails, counted for each 32 pages. If absent, 0.05, and always one page of several.',
  }),
  replace_failed_page_mode: oneOf(['blank_page', 'error_message', 'raw_text'], {
    description:
      'What replaces a page that cannot be read: `error_message` writes the reason, otherwise the page is empty. If a model could not read the page, `blank_page` leaves it empty, and `raw_text` or no value keeps the text that the parser read.',
  }),
  replace_failed_page_with_error_message_prefix: text({
    description: 'Text before the reason that replaces a page that cannot be read.',
  }),
  replace_failed_page_with_error_message_suffix: text({
    description: 'Text after the reason that replaces a page that cannot be read.',
  }),
  strict_mode_buggy_font: flag({
    description:
      'PDF: the file fails if the fonts of a page do not define which characters their glyphs represent. Otherwise these glyphs are left out.',
  }),
  strict_mode_image_extraction: flag({
    description:
      'The file fails if a picture in it is damaged or has an unsupported format (PDF: one of the first 64 pictures of a page). Otherwise that picture is empty or left out.',
  }),
  strict_mode_image_ocr: flag({
    description:
      'The file fails if a page without a text layer stays unread, for example because there is no OCR engine. Otherwise the page is marked. Has no effect together with `disable_ocr`.',
  }),
  strict_mode_reconstruction: flag({
    effect: 'model',
    description: 'The file fails if the model cannot read a page, regardless of `page_error_tolerance`.',
  }),
};

interface Cuts {
  bbox_bottom?: number | null | undefined;
  bbox_left?: number | null | undefined;
  bbox_right?: number | null | undefined;
  bbox_top?: number | null | undefined;
  bounding_box?: string | null | undefined;
}

/** Fractions of a page that are cut off at its sides, from 0 to 1. */
export interface PageMargins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** Returns the margins that result from `bounding_box` and the `bbox_*` parameters, which take precedence. */
export function resolveMargins(cuts: Cuts): PageMargins {
  const [top, right, bottom, left] = parseBoundingBox(cuts.bounding_box ?? '') ?? [0, 0, 0, 0];
  return {
    top: cuts.bbox_top ?? top,
    right: cuts.bbox_right ?? right,
    bottom: cuts.bbox_bottom ?? bottom,
    left: cuts.bbox_left ?? left,
  };
}

/** Reports an issue if opposite margins leave nothing of a page to read. */
export function rejectEmptyArea(cuts: Cuts, context: z.core.$RefinementCtx): void {
  const { top, right, bottom, left } = resolveMargins(cuts);
  if (top + bottom < 1 && left + right < 1) return;
  const named =
    top + bottom < 1 ? (['bbox_right', 'bbox_left'] as const) : (['bbox_bottom', 'bbox_top'] as const);
  const field = named.find((name) => typeof cuts[name] === 'number') ?? 'bounding_box';
  context.addIssue({ code: 'custom', path: [field], message: 'opposite margins leave nothing of the page' });
}
