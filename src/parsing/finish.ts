import { detectLanguage } from '#src/lib/language.ts';
import type { DocumentMetadata } from './document.ts';
import { ParseError } from './errors.ts';
import type { Flow } from './flow/flow.ts';
import { inMemoryDocument } from './in-memory.ts';
import { definedOnly } from './metadata.ts';
import type { OpenDocument } from './parser.ts';
import { withOmissions } from './unread-parts.ts';

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
