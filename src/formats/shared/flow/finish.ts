import type { DocumentMetadata } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { withOmissions } from '../containers/unread-parts.ts';
import type { OpenDocument } from '../open-document.ts';
import type { Flow } from './flow.ts';
import { inMemoryDocument } from './in-memory.ts';
import { definedOnly } from './metadata.ts';

export function noData(): ParseError {
  return new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has no text and no pictures in it.');
}

/** The flow's pages as an open document. Throws ParseError NO_DATA_FOUND_IN_FILE when nothing is on them. */
export function finishDocument(flow: Flow, metadata: DocumentMetadata = {}): OpenDocument {
  const { pages, images, omissions } = flow.finish();
  for (const page of pages) {
    // A page that only shows a picture may have its text in the picture.
    if (page.text.trim() === '' && page.figures.some((figure) => !figure.isLikelyNoise)) page.needsOcr = true;
  }
  if (!pages.some((page) => page.text.trim() !== '' || page.figures.length > 0)) throw noData();
  const text = pages
    .slice(0, 5)
    .map((page) => page.text)
    .join('\n');
  const language = metadata.language ?? detectLanguage(text);
  return inMemoryDocument(pages, definedOnly({ ...withOmissions(metadata, omissions), language }), images);
}
