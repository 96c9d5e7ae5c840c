import { decodeText } from '#src/text-formats/encoding.ts';
import { buildUnreadPicturesOmission } from '../shared/containers/unread-parts.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';
import { numberReferences } from './bibliography.ts';
import { BlockWriter } from './blocks.ts';
import { SECTIONS } from './commands.ts';
import { LatexConverter } from './convert.ts';
import { type ExpandedLatex, expandLatex } from './expand.ts';
import { LatexReader } from './reader.ts';

const TITLE_PATTERNS = {
  title: /\\title(?![a-zA-Z])/,
  subtitle: /\\subtitle(?![a-zA-Z])/,
  author: /\\author(?![a-zA-Z])/,
  date: /\\date(?![a-zA-Z])/,
};
const TITLE_COMMANDS = ['title', 'subtitle', 'author', 'date'] as const;
type TitleCommand = (typeof TITLE_COMMANDS)[number];

/** Returns the argument of a command that occurs once in the preamble or at the beginning of the document. */
function findArgument(text: string, command: TitleCommand): string | undefined {
  const at = TITLE_PATTERNS[command].exec(text)?.index ?? -1;
  if (at < 0) return undefined;
  const reader = new LatexReader(text.slice(at + 1 + command.length));
  reader.readOption();
  return reader.readGroup();
}

/** Returns the document without its preamble, and with the title, author and date at its beginning. */
function takeBody(text: string): { body: string; hasTitle: boolean } {
  const begin = '\\begin{document}';
  const start = text.indexOf(begin);
  if (start < 0) return { body: text, hasTitle: TITLE_PATTERNS.title.test(text) };
  const end = text.indexOf('\\end{document}', start);
  const body = text.slice(start + begin.length, end < 0 ? text.length : end);
  const preamble = text.slice(0, start);
  const titles = TITLE_COMMANDS.flatMap((command) => {
    const argument = findArgument(preamble, command);
    return argument?.trim() ? [`\\${command}{${argument}}`] : [];
  });
  return {
    body: `${titles.join('\n\n')}\n\n${body}`,
    hasTitle: TITLE_PATTERNS.title.test(titles.join('') + body),
  };
}

/** Returns the level of each kind of heading. Documents without parts or chapters begin with sections. */
function assignLevels(body: string, hasTitle: boolean): ReadonlyMap<string, number> {
  const first = Math.max(
    0,
    SECTIONS.findIndex((command) => body.includes(`\\${command}{`) || body.includes(`\\${command}*{`)),
  );
  const top = hasTitle ? 2 : 1;
  return new Map([
    ...SECTIONS.map((command, index): [string, number] => [command, top + Math.max(0, index - first)]),
    ['bibliography', top],
  ]);
}

/** Converts a short text of a document, such as its title, to plain text. */
function toPlainText(latex: string | undefined, expanded: ExpandedLatex, flow: Flow): string | undefined {
  if (latex === undefined) return undefined;
  let text = '';
  const writer = new BlockWriter(flow);
  writer.paragraph = (runs) => {
    text += ` ${runs.map((run) => run.text).join('')}`;
  };
  new LatexConverter(latex, expanded, { writer, references: new Map(), levels: new Map() }).convert();
  return text.replace(/[\s\ue000]+/g, ' ').trim();
}

/**
 * Parses a LaTeX document. Macros that the document defines are replaced, and formulas stay LaTeX between dollar
 * signs.
 */
export const latexParser: Parser = {
  async open({ bytes, plan, budget }) {
    const expanded = expandLatex(
      decodeText(bytes)
        .text.replace(/\r\n?/g, '\n')
        .replace(/\(\\the[a-zA-Z]{1,40}\)/g, ''),
    );
    budget.spend('markupByte', expanded.text.length);
    const flow = new Flow(plan, budget);
    if (expanded.isIncomplete) {
      const message = 'Some macros of the document were not replaced because that needs too much work.';
      flow.omit({ kind: 'too_large', message });
    }
    const { body, hasTitle } = takeBody(expanded.text);
    const writer = new BlockWriter(flow);
    const references = numberReferences(body);
    new LatexConverter(body, expanded, {
      writer,
      references,
      levels: assignLevels(body, hasTitle),
    }).convert();
    writer.writeFootnotes();
    if (writer.pictures > 0) flow.omit(buildUnreadPicturesOmission(writer.pictures));
    const silent = new Flow(plan, budget);
    const title = toPlainText(findArgument(expanded.text, 'title'), expanded, silent);
    const author = toPlainText(findArgument(expanded.text, 'author'), expanded, silent);
    return finishDocument(flow, definedOnly({ title, author }));
  },
};
