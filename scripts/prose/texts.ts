/** Piece of English text, such as a comment or paragraph, with the number of its first line. */
export interface Text {
  text: string;
  line: number;
}

const BLOCK = /\/\*\*?([\s\S]*?)\*\//g;
const LINES = /(?:^[ \t]*\/\/(?!\/)[^\n]*\n)+/gm;
/** Matches comments that are instructions to tools, such as linters. */
const NO_PROSE = /^(?:biome-|@ts-|eslint|c8 |v8 )/;

/** Reads the comments of a TypeScript file. Line comments below each other are one comment. */
export function readComments(code: string): Text[] {
  const blocks = [...code.matchAll(BLOCK)].map(({ 1: text, index }) => ({
    text: text!.replaceAll(/\n\s*\*\s?/g, '\n'),
    line: lineAt(code, index),
  }));
  const lines = [...code.matchAll(LINES)].map(({ 0: text, index }) => ({
    text: text!.replaceAll(/^[ \t]*\/\/\s?/gm, ''),
    line: lineAt(code, index),
  }));
  return [...blocks, ...lines]
    .map(({ text, line }) => ({ text: text.trim(), line }))
    .filter(({ text }) => text !== '' && !NO_PROSE.test(text));
}

/** Reads the paragraphs, list items and headings of a Markdown page. Code blocks and tables are left out. */
export function readParagraphs(page: string): Text[] {
  const texts: Text[] = [];
  let isCode = false;
  let open: Text | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*(?:```|\||<|$)/.test(line) && !/^ {4}/.test(line);
    if (!isProse) {
      open = undefined;
    } else if (!open || /^\s*(?:[-*#>]|\d+\.)\s/.test(line)) {
      open = { text: line, line: index + 1 };
      texts.push(open);
    } else {
      open.text += ` ${line}`;
    }
  }
  return texts.map(({ text, line }) => ({ text: plain(text), line }));
}

/** Removes marks of lists and headings, and the addresses of links. */
const plain = (text: string) =>
  text
    .replace(/^\s*(?:[-*#>]+|\d+\.)\s+/, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/[[\]*]/g, '');

const lineAt = (code: string, index: number) => code.slice(0, index).split('\n').length;
