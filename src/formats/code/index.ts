import { readExtension } from '#src/file-formats/extensions.ts';
import { findProgrammingLanguage } from '#src/file-formats/programming-languages.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';

/** Maximum number of characters in one code block. Longer files are split between two lines. */
const MAX_BLOCK_CHARACTERS = 100_000;

/** Yields the code in parts that end with a line, preferably before a blank line. */
function* splitCode(code: string): Generator<string> {
  for (let from = 0; from < code.length; ) {
    let end = code.length;
    if (end - from > MAX_BLOCK_CHARACTERS) {
      const most = from + MAX_BLOCK_CHARACTERS;
      const blank = code.lastIndexOf('\n\n', most);
      const line = blank > from + MAX_BLOCK_CHARACTERS / 2 ? blank : code.lastIndexOf('\n', most);
      end = line > from + MAX_BLOCK_CHARACTERS / 2 ? line + 1 : most;
    }
    yield code.slice(from, end);
    from = end;
  }
}

/** Parses source code as fenced code blocks with the language that the file name tells. */
export const codeParser: Parser = {
  async open({ bytes, name, plan, budget }) {
    const language = findProgrammingLanguage(readExtension(name));
    const flow = new Flow(plan, budget);
    const code = decodeText(bytes).text.replace(/\r\n?/g, '\n').replaceAll('\f', '');
    for (const part of splitCode(code)) flow.code(part, language);
    return finishDocument(flow);
  },
};
