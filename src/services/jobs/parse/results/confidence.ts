import type { StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/**
 * Returns the confidence of a page from 0 to 1, or null if it is unknown. Depending on the parameters, it is
 * the OCR engine's confidence, how well the page supports a model's text, or the agreement of OCR and text
 * layer.
 */
export function getConfidence(
  { verification, ocr, agreement }: StoredPage,
  parameters: ParseParameters,
): number | null {
  const own = ocr?.confidence ?? null;
  if (parameters.confidence_score_effort === 'low') return own;
  return verification?.confidence ?? own ?? agreement ?? null;
}

/** Mean and lowest confidence of a document's pages. Pages with unknown confidence are not counted. */
export interface DocumentConfidence {
  mean: number;
  lowest: number;
  pages: number;
}

export async function computeDocumentConfidence(
  pages: AsyncIterable<StoredPage>,
  parameters: ParseParameters,
): Promise<DocumentConfidence | undefined> {
  if (parameters.confidence_score_effort !== 'high') return undefined;
  const known: number[] = [];
  for await (const page of pages) {
    const confidence = getConfidence(page, parameters);
    if (confidence !== null) known.push(confidence);
  }
  if (known.length === 0) return undefined;
  const sum = known.reduce((all, each) => all + each, 0);
  const lowest = known.reduce((least, each) => Math.min(least, each), 1);
  return { mean: Math.round((1000 * sum) / known.length) / 1000, lowest, pages: known.length };
}
