import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { splitIntoParagraphs } from '../shared/flow/paragraphs.ts';
import type { Parser } from '../shared/parser.ts';

/**
 * Parses plain text. Empty lines separate paragraphs, and a form feed starts a new page. Line breaks inside a
 * paragraph are preserved.
 */
export const textParser: Parser = {
  async open({ bytes, plan, budget }) {
    const text = decodeText(bytes).text.replace(/\r\n?/g, '\n');
    const flow = new Flow(plan, budget);
    for (const page of text.split('\f')) {
      for (const { body, blankLines } of splitIntoParagraphs(page)) {
        flow.block({ type: 'paragraph', text: body, markdown: body }, blankLines);
      }
      flow.pageBreak();
    }
    return finishDocument(flow);
  },
};
