import { decodeText } from './encoding.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import type { Parser } from './parser.ts';

/** Plain text: paragraphs between empty lines, kept line by line; a form feed starts a page. */
export const textParser: Parser = {
  async open({ bytes, parameters }) {
    const text = decodeText(bytes).text.replace(/\r\n?/g, '\n');
    const flow = new Flow(parameters);
    for (const page of text.split('\f')) {
      for (const { body, blankLines } of paragraphs(page)) {
        flow.block({ type: 'paragraph', text: body, markdown: body }, blankLines);
      }
      flow.pageBreak();
    }
    return finishDocument(flow);
  },
};

/** Each paragraph with the number of blank lines above it. */
function* paragraphs(page: string): Generator<{ body: string; blankLines: number }> {
  let start = -1;
  let blankLines = 0;
  for (let from = 0; from <= page.length; ) {
    const newline = page.indexOf('\n', from);
    const end = newline < 0 ? page.length : newline;
    const isBlank = page.slice(from, end).trim() === '';
    if (!isBlank && start < 0) start = from;
    if (start >= 0 && (isBlank || newline < 0)) {
      yield { body: page.slice(start, isBlank ? from : end).trimEnd(), blankLines };
      start = -1;
      blankLines = 0;
    }
    if (isBlank) blankLines++;
    from = end + 1;
  }
}
