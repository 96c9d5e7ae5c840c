import { decodeText } from '#src/text-formats/encoding.ts';
import { buildUnreadPicturesOmission } from '../shared/containers/unread-parts.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly } from '../shared/flow/metadata.ts';
import { Footnotes } from '../shared/markup/footnotes.ts';
import type { Parser } from '../shared/parser.ts';
import { AsciidocConverter } from './convert.ts';
import { removeConditions } from './lines.ts';

/**
 * Parses AsciiDoc:
 * - Attributes are replaced by their values. Comments are left out. The text under a condition is kept.
 * - Admonitions and quotes become quotes, and titles of blocks become bold paragraphs.
 * - Included files are reported as omissions.
 * - Descriptions of pictures are kept. The pictures themselves are in other files and are reported too.
 */
export const asciidocParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    const footnotes = new Footnotes();
    const converter = new AsciidocConverter(flow, footnotes);
    const lines = decodeText(bytes).text.split(/\r\n?|\n/);
    converter.convert(removeConditions(lines));
    footnotes.write(flow);
    if (converter.pictures > 0) flow.omit(buildUnreadPicturesOmission(converter.pictures));
    return finishDocument(flow, definedOnly({ title: converter.title, author: converter.author }));
  },
};
