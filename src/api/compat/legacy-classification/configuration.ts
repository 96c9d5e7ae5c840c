import { z } from 'zod';
import { classifyRules } from '#src/classification/configuration.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { parsePageRanges } from '#src/lib/text/page-ranges.ts';
import { LANGUAGE_CODES } from '#src/parse/parameters/ocr.ts';
import { toIsoLanguage } from '#src/parse/tier-parameters.ts';

const DEFAULT_PAGES = 5;
const MAX_RULES = 50;
const MAX_PAGES = 1000;

export const rules = classifyRules.max(MAX_RULES);

export const mode = withoutEffect(z.enum(['FAST', 'MULTIMODAL']).nullish(), (value) =>
  value === 'MULTIMODAL' ? 'Documents are classified by their text and layout, in every mode.' : undefined,
);

/** Parse settings of the older classify operations, which count pages from 0. */
export const parsingConfiguration = z
  .object({
    lang: withoutEffect(z.enum(LANGUAGE_CODES).nullish(), (lang) =>
      toIsoLanguage(String(lang)) ? undefined : 'The OCR engine is left to find out.',
    ),
    max_pages: z.int().min(1).nullish().describe(`By default ${DEFAULT_PAGES}; null: all.`),
    target_pages: z.array(z.int().min(0).max(999_999)).min(1).max(MAX_PAGES).nullish(),
  })
  .meta({ id: 'ClassifyParsingConfiguration' });
type Parsing = z.output<typeof parsingConfiguration>;

export function toParsing(given: Parsing | null | undefined) {
  const { lang, target_pages: pages, max_pages } = given ?? {};
  return {
    lang: (lang && toIsoLanguage(lang)) || null,
    max_pages: max_pages === undefined ? DEFAULT_PAGES : max_pages,
    target_pages: pages ? pages.map((page) => page + 1).join(',') : null,
  };
}

export function presentParsing(kept: ReturnType<typeof toParsing>): z.input<typeof parsingConfiguration> {
  const ranges = kept.target_pages ? parsePageRanges(kept.target_pages) : undefined;
  return {
    lang: LANGUAGE_CODES.find((code) => toIsoLanguage(code) === kept.lang) ?? 'en',
    max_pages: kept.max_pages,
    target_pages:
      ranges?.flatMap(({ first, last }) => {
        return Array.from({ length: last - first + 1 }, (_, index) => first + index - 1);
      }) ?? null,
  };
}
