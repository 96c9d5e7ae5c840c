import MarkdownIt, { type Env, type MarkdownIt as Library, type StateBlock, type Token } from 'markdown-it';
import { countDelimiterColumns, splitRowCells } from './table-rows.ts';

/**
 * Maximum nesting depth of quotes and lists. Deeper content becomes plain text of the innermost allowed
 * level.
 */
const MAX_NESTING = 20;

/**
 * CommonMark with GFM tables and strikethrough. Link targets are not validated, so code that displays links
 * must check them.
 */
export const grammar = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING });
grammar.enable('strikethrough');
grammar.validateLink = () => true;
grammar.normalizeLink = (url) => url;
// Replaces the Markdown library's table rule. The original creates three objects per cell, which takes 400 MB
// for a table of 2 MB.
grammar.block.ruler.before('paragraph', 'rows', readTable, { alt: ['paragraph', 'reference'] });
grammar.block.tokenize = readLines;

type Nesting = -1 | 0 | 1;
const State: new (source: string, md: Library, env: Env, tokens: Token[]) => StateBlock = grammar.block.State;

/**
 * Parser state that passes each token to `onToken` once the token is complete. Tokens are not stored, because
 * a text may have millions of them.
 */
export class StreamingBlockState extends State {
  readonly #onToken: (token: Token) => void;
  #last: Token | undefined;

  constructor(source: string, env: Env, onToken: (token: Token) => void) {
    super(source, grammar, env, []);
    this.#onToken = onToken;
  }

  override push(type: string, tag: string, nesting: Nesting): Token {
    const token = super.push(type, tag, nesting);
    this.tokens.length = 0;
    this.flush();
    this.#last = token;
    return token;
  }

  flush(): void {
    if (this.#last) this.#onToken(this.#last);
    this.#last = undefined;
  }
}

/** Reads the Markdown block that starts at `line`, and returns the number of the line after the block. */
export function readBlock(state: StateBlock, line: number, endLine: number): number {
  state.line = line;
  if (state.level >= MAX_NESTING) {
    const token = state.push('inline', '', 0);
    token.content = state.getLines(line, endLine, state.blkIndent, false).trim();
    state.line = endLine;
    return endLine;
  }
  for (const rule of grammar.block.ruler.getRules('')) {
    if (rule(state, line, endLine, false)) return state.line;
  }
  throw new Error('No Markdown rule matches this line.');
}

/**
 * Reads lines like the Markdown library's own function. Unlike that function, it keeps content that is nested
 * too deeply.
 */
function readLines(state: StateBlock, startLine: number, endLine: number): void {
  let line = startLine;
  let hasEmptyLines = false;
  while (line < endLine) {
    line = state.skipEmptyLines(line);
    state.line = line;
    if (line >= endLine || state.sCount[line]! < state.blkIndent) break;
    line = readBlock(state, line, endLine);
    state.tight = !hasEmptyLines;
    if (state.isEmpty(line - 1)) hasEmptyLines = true;
    if (line < endLine && state.isEmpty(line)) {
      hasEmptyLines = true;
      line++;
      state.line = line;
    }
  }
}

function readTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const isInside = (line: number) =>
    line < endLine && state.sCount[line]! >= state.blkIndent && state.sCount[line]! - state.blkIndent < 4;
  const readLine = (line: number) =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
  if (!isInside(startLine) || !isInside(startLine + 1)) return false;
  const columns = countDelimiterColumns(readLine(startLine + 1));
  if (columns === 0) return false;
  const header = readLine(startLine);
  if (!header.includes('|') || splitRowCells(header).length !== columns) return false;
  if (silent) return true;

  const outer = state.parentType;
  state.parentType = 'table';
  const endings = grammar.block.ruler.getRules('blockquote');
  let line = startLine + 2;
  while (
    isInside(line) &&
    !state.isEmpty(line) &&
    !endings.some((rule) => rule(state, line, endLine, true))
  ) {
    line++;
  }
  state.parentType = outer;
  const token = state.push('table', 'table', 0);
  token.content = state.getLines(startLine, line, state.blkIndent, false);
  token.map = [startLine, line];
  state.line = line;
  return true;
}
