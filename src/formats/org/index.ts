import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly, isoDate, languageCode } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';
import { OrgConverter } from './convert.ts';

/**
 * Parses Org documents. States of tasks are kept. Comments, priorities, tags, and the drawers of properties and
 * logged times are left out.
 */
export const orgParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    const converter = new OrgConverter(flow);
    converter.convert(decodeText(bytes).text.split(/\r\n?|\n/));
    converter.footnotes.write(flow);
    const { keywords } = converter;
    return finishDocument(
      flow,
      definedOnly({
        title: keywords.get('title'),
        author: keywords.get('author'),
        createdAt: isoDate(keywords.get('date')?.replace(/[<>[\]]/g, '')),
        language: languageCode(keywords.get('language')),
      }),
    );
  },
};
