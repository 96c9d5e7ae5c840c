import type { StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/**
 * How sure one may be of the page, 0 to 1, at the effort that the parameters ask for: what the OCR engine says of
 * itself, how well the page bears out what a model wrote, or how far engine and text layer agree. Null: nobody knows.
 */
export function confidenceOf(
  { verification, ocr, agreement }: StoredPage,
  parameters: ParseParameters,
): number | null {
  const own = ocr?.confidence ?? null;
  if (parameters.confidence_score_effort === 'low') return own;
  return verification?.confidence ?? own ?? agreement ?? null;
}

/** The same of a document at the highest effort: the mean and the least of the pages of which something is known. */
export interface DocumentConfidence {
  mean: number;
  lowest: number;
  pages: number;
}

export async function documentConfidence(
  pages: AsyncIterable<StoredPage>,
  parameters: ParseParameters,
): Promise<DocumentConfidence | undefined> {
  if (parameters.confidence_score_effort !== 'high') return undefined;
  const known: number[] = [];
  for await (const page of pages) {
    const confidence = confidenceOf(page, parameters);
    if (confidence !== null) known.push(confidence);
  }
  if (known.length === 0) return undefined;
  const sum = known.reduce((all, each) => all + each, 0);
  const lowest = known.reduce((least, each) => Math.min(least, each), 1);
  return { mean: Math.round((1000 * sum) / known.length) / 1000, lowest, pages: known.length };
}
