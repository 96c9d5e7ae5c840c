import { decodeText } from '#src/text-formats/encoding.ts';
import type { Parser } from '../shared/driver.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { paragraphsOf } from '../shared/flow/paragraphs.ts';

/** Plain text: paragraphs between empty lines, kept line by line; a form feed starts a page. */
export const textParser: Parser = {
  async open({ bytes, plan, budget }) {
    const text = decodeText(bytes).text.replace(/\r\n?/g, '\n');
    const flow = new Flow(plan, budget);
    for (const page of text.split('\f')) {
      for (const { body, blankLines } of paragraphsOf(page)) {
        flow.block({ type: 'paragraph', text: body, markdown: body }, blankLines);
      }
      flow.pageBreak();
    }
    return finishDocument(flow);
  },
};
