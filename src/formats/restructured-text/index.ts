import { decodeText } from '#src/text-formats/encoding.ts';
import { buildUnreadPicturesOmission } from '../shared/containers/unread-parts.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly, isoDate } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';
import { RstConverter } from './convert.ts';

/**
 * Parses reStructuredText, with the directives of Docutils and the usual ones of Sphinx:
 * - Levels of headings follow the order in which the styles of their lines occur.
 * - Substitutions and links are replaced. Comments are left out.
 * - Included files, pictures and content for one output format (`raw`) are reported as omissions.
 */
export const restructuredTextParser: Parser = {
  async open({ bytes, plan, budget }) {
    const lines = decodeText(bytes).text.split(/\r\n?|\n/);
    const flow = new Flow(plan, budget);
    const converter = new RstConverter(flow, lines);
    converter.convert(lines);
    converter.footnotes.write(flow);
    if (converter.pictures > 0) flow.omit(buildUnreadPicturesOmission(converter.pictures));
    const { title, fields } = converter;
    const author = fields.get('author') ?? fields.get('authors');
    return finishDocument(flow, definedOnly({ title, author, createdAt: isoDate(fields.get('date')) }));
  },
};
