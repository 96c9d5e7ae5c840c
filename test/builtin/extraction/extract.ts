import { extractWith } from '#src/builtin/extraction/extractor.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { ExtractionTarget } from '#src/jobs/extract/configuration.ts';
import type { JsonSchema } from '#src/jobs/extract/schema.ts';
import type { Page } from '#src/parsing/document.ts';

const weight = await loadWordWeight();

/** The built-in extractor, once the weights of words are there. */
export const extractNow = (schema: JsonSchema, pages: Page[], target: ExtractionTarget) =>
  extractWith(weight, schema, pages, target);
