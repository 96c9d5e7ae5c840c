import { extractWith } from '#src/builtin/extraction/extractor.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { Page } from '#src/documents/document.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';

const weight = await loadWordWeight();

/** Runs the built-in extractor after loading the word weights. */
export const extractNow = (schema: JsonSchema, pages: Page[], target: ExtractionTarget) =>
  extractWith(weight, schema, pages, target);
