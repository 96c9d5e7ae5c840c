import type { DocumentMetadata } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { withOmissions } from '../containers/unread-parts.ts';
import type { OpenDocument } from '../open-document.ts';
import type { Flow } from './flow.ts';
import { inMemoryDocument } from './in-memory.ts';
import { definedOnly } from './metadata.ts';

export function createNoDataError(): ParseError {
  return new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has no text and no pictures in it.');
}

/**
 * Returns the pages of the flow as an open document. Throws ParseError NO_DATA_FOUND_IN_FILE if the pages
 * have no text and no figures.
 */
export function finishDocument(flow: Flow, metadata: DocumentMetadata = {}): OpenDocument {
  const { pages, images, omissions } = flow.finish();
  for (const page of pages) {
    // A page that shows only pictures may contain its text in them, so it needs OCR.
    if (page.text.trim() === '' && page.figures.some((figure) => !figure.isLikelyNoise)) page.needsOcr = true;
  }
  if (!pages.some((page) => page.text.trim() !== '' || page.figures.length > 0)) throw createNoDataError();
  const text = pages
    .slice(0, 5)
    .map((page) => page.text)
    .join('\n');
  const language = metadata.language ?? detectLanguage(text);
  return inMemoryDocument(pages, definedOnly({ ...withOmissions(metadata, omissions), language }), images);
}
