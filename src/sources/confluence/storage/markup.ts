import { parseMarkup, type XmlElement } from '#src/text-formats/xml.ts';
import { wrong } from '../settings.ts';

/**
 * A page as it is stored: XHTML with elements of the vendor's own and sections of character data. The tree is at most
 * 256 levels deep. Throws a SourceError where the page is too much, or is no document.
 */
export function markupOf(source: string): XmlElement {
  try {
    return parseMarkup(source, { html: true, cdata: true });
  } catch (error) {
    throw wrong(`The page cannot be read: ${(error as Error).message}`);
  }
}
