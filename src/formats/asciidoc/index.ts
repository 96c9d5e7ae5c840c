import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';
import { AsciidocConverter } from './convert.ts';

/** Parses AsciiDoc. Attributes are replaced, comments are left out, and included files are reported as missing. */
export const asciidocParser: Parser = {
  async open({ bytes, plan, budget }) {
    const flow = new Flow(plan, budget);
    const converter = new AsciidocConverter(flow);
    converter.convert(decodeText(bytes).text.split(/\r\n?|\n/));
    converter.footnotes.write(flow);
    return finishDocument(flow, definedOnly({ title: converter.title, author: converter.author }));
  },
};
