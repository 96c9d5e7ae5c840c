import { readDelimited } from '#src/text-formats/separated-values.ts';
import { buildIncludedFileOmission } from '../shared/containers/unread-parts.ts';
import type { Flow } from '../shared/flow/flow.ts';
import { layOutGrid } from '../shared/flow/grid.ts';
import type { Run } from '../shared/flow/runs.ts';
import type { Footnotes } from '../shared/markup/footnotes.ts';
import { type InlineReaders, joinLines, readInline } from '../shared/markup/inline.ts';
import { createReaders } from './inline.ts';
import {
  type BlockAttributes,
  findLevel,
  isDelimiter,
  isSection,
  type Level,
  NO_ATTRIBUTES,
  readBlockAttributes,
  readListMark,
} from './lines.ts';
import { countColumns, readTableRows } from './table.ts';

const MAX_DEPTH = 8;
/** Maximum number of characters of an attribute. References to longer attributes stay as they are. */
const MAX_ATTRIBUTE_CHARACTERS = 500;
const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(?=\S)/;
const ADMONITION_STYLE = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/;
const ATTRIBUTE = /^:(!?[\w][\w-]{0,60}!?):(?:[ \t](.*))?$/;
const BLOCK_MACRO = /^(image|video|audio|include|toc|stem|plantuml|link|xref)::([^[\]]{0,500})\[(.*)\]$/;

/** Characters between the cells of tables that do not mark their cells, by format and by delimiter of the block. */
const DELIMITERS: ReadonlyMap<string | undefined, string> = new Map([
  ['csv', ','],
  ['tsv', '\t'],
  ['dsv', ':'],
  [',', ','],
  [':', ':'],
]);

const titleCase = (word: string) => word.charAt(0) + word.slice(1).toLowerCase();

/** Converts the lines of an AsciiDoc document to blocks. */
export class AsciidocConverter {
  readonly #flow: Flow;
  readonly #attributes = new Map<string, string>();
  readonly #readers: InlineReaders;
  title: string | undefined;
  author: string | undefined;
  /** Number of pictures that the document only refers to. */
  pictures = 0;
  #pending: BlockAttributes = NO_ATTRIBUTES;

  constructor(flow: Flow, footnotes: Footnotes) {
    this.#flow = flow;
    this.#readers = createReaders(this.#attributes, footnotes);
  }

  /** Converts lines to blocks. `depth` counts the blocks that contain the lines. */
  convert(lines: readonly string[], depth = 0): void {
    for (let at = 0; at < lines.length; ) at = Math.max(at + 1, this.#readBlock(lines, at, depth));
  }

  #inline(text: string): Run[] {
    const marked = text.replace(/[ \t]\+$/gm, '\ue000');
    return readInline(joinLines(marked).replace(/\ue000 ?/g, '\n'), this.#readers);
  }

  /** Reads the block at a line, and returns the index of the line after it. */
  #readBlock(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!.trimEnd();
    if (line === '' || line === '+' || (line.startsWith('//') && !line.startsWith('////'))) return at + 1;
    const attribute = ATTRIBUTE.exec(line);
    if (attribute) {
      this.#define(attribute[1]!, attribute[2]?.trim() ?? '');
      return at + 1;
    }
    if (/^\[(?!\[).*\]$/.test(line) && line.length < 2_000) {
      this.#pending = readBlockAttributes(line);
      return at + 1;
    }
    if (/^\[\[[^\][]*\]\]$/.test(line) || /^(?:'''|---|\*\*\*)$/.test(line)) return at + 1;
    if (line === '<<<') this.#flow.endList();
    else if (isSection(line)) return this.#readSection(lines, at, depth);
    else if (/^\.[^\s.]/.test(line))
      this.#flow.paragraph(this.#inline(line.slice(1)).map((run) => ({ ...run, bold: true })));
    else if (isDelimiter(line)) return this.#readDelimited(lines, at, depth);
    else if (BLOCK_MACRO.test(line)) this.#readMacro(line);
    else if (readListMark(line)) return this.#readList(lines, at, depth);
    else return this.#readParagraph(lines, at);
    return at + 1;
  }

  #takePending(): BlockAttributes {
    const pending = this.#pending;
    this.#pending = NO_ATTRIBUTES;
    return pending;
  }

  #define(name: string, value: string): void {
    const text =
      value.length > MAX_ATTRIBUTE_CHARACTERS
        ? value
        : value.replace(/\{([\w-]{1,60})\}/g, (whole, other: string) => this.#attributes.get(other) ?? whole);
    if (name.includes('!')) this.#attributes.delete(name.replaceAll('!', ''));
    else if (text.length <= MAX_ATTRIBUTE_CHARACTERS) this.#attributes.set(name, text);
    if (name === 'author') this.author = value;
  }

  #readSection(lines: readonly string[], at: number, depth: number): number {
    this.#takePending();
    const line = lines[at]!.trimEnd();
    const marks = /^[=#]{1,6}/.exec(line)?.[0] ?? '';
    const text = line
      .slice(marks.length)
      .trim()
      .replace(/ [=#]{1,6}$/, '');
    const runs = this.#inline(text);
    this.#flow.heading(marks.length, runs);
    const isTitle = marks.length === 1 && this.title === undefined && depth === 0;
    if (!isTitle) return at + 1;
    this.title = runs.map((run) => run.text).join('');
    // The lines below the title name the authors and the revision.
    const author = lines[at + 1]?.trim() ?? '';
    if (!/^[\p{L}][\p{L}.'’-]*(?: [\p{L}.'’-]+){0,3}(?: <[^<>]+>)?(?:;|$)/u.test(author)) return at + 1;
    this.author = author.replace(/ ?<[^<>]*>/g, '').replace(/;/g, ',');
    this.#flow.paragraph(this.#inline(author.replace(/[<>]/g, '')));
    const revision = lines[at + 2]?.trim() ?? '';
    if (!/^v?\d/.test(revision)) return at + 2;
    this.#flow.paragraph(this.#inline(revision));
    return at + 3;
  }

  #readMacro(line: string): void {
    const [, name = '', target = '', content = ''] = BLOCK_MACRO.exec(line) ?? [];
    if (name === 'include') {
      this.#flow.omit(buildIncludedFileOmission(target));
    } else if (name === 'stem') this.#writeFormula(content);
    else if (name !== 'toc') {
      if (name === 'image') this.pictures++;
      this.#flow.paragraph(
        this.#inline((content.split(/, {0,3}[a-z]{1,20}=/)[0] ?? '').replace(/^"|"$/g, '')),
      );
    }
  }

  #writeFormula(latex: string): void {
    this.#flow.block({ type: 'paragraph', text: latex, markdown: `$$\n${latex}\n$$` });
  }

  #readDelimited(lines: readonly string[], at: number, depth: number): number {
    const open = lines[at]!.trimEnd();
    const mark = open.startsWith('```') ? '```' : open;
    let end = at + 1;
    while (end < lines.length && lines[end]!.trimEnd() !== mark) end++;
    this.#writeDelimited(open, lines.slice(at + 1, end), depth);
    return end + 1;
  }

  #writeDelimited(open: string, inner: readonly string[], depth: number): void {
    const { positional, named } = this.#takePending();
    const [style = '', language = ''] = positional;
    const kind = open[0]!;
    const isStyle = (name: string) => style === name;
    if (kind === '/' || isStyle('comment')) return;
    if (/^[|,:!]=/.test(open)) this.#writeTable(open, inner, named);
    else if (isStyle('stem') || isStyle('latexmath')) this.#writeFormula(inner.join('\n').trim());
    else if (
      /[.`]/.test(kind) ||
      (kind === '-' && open !== '--') ||
      isStyle('source') ||
      isStyle('listing')
    ) {
      const name = kind === '`' ? open.slice(3) : isStyle('source') ? language : '';
      this.#flow.code(inner.join('\n'), /^[\w+#-]{1,30}$/.test(name) ? name : '');
    } else if (kind === '+') this.#flow.paragraph([{ text: inner.join(' ').replace(/<[^<>]{1,500}>/g, '') }]);
    else if (depth >= MAX_DEPTH) this.#flow.paragraph(this.#inline(inner.join('\n')));
    else if (ADMONITION_STYLE.test(style)) {
      this.#flow.quote(() => {
        this.#flow.paragraph([{ text: `${titleCase(style)}:`, bold: true }]);
        this.convert(inner, depth + 1);
      });
    } else if (kind === '_' || isStyle('quote') || isStyle('verse')) {
      this.#flow.quote(() => {
        this.convert(inner, depth + 1);
        this.#writeSource(positional);
      });
    } else this.convert(inner, depth + 1);
  }

  /** Writes the author and the work that the attributes of a quote name. */
  #writeSource(attributes: readonly string[]): void {
    const source = attributes.slice(1).filter(Boolean).join(', ');
    if (source !== '') this.#flow.paragraph(this.#inline(`— ${source}`));
  }

  #writeTable(open: string, inner: readonly string[], named: ReadonlyMap<string, string>): void {
    const render = (text: string) => this.#flow.render(this.#inline(text.replace(/\n{2,}/g, ' +\n')), false);
    const format = named.get('format');
    const delimiter = DELIMITERS.get(format) ?? DELIMITERS.get(open[0]);
    if (delimiter !== undefined) {
      const rows = readDelimited(inner.join('\n'), delimiter);
      this.#flow.table(rows.map((row) => row.map((cell) => render(cell.trim()))));
      return;
    }
    const separator = named.get('separator')?.[0] ?? open[0]!;
    const lines = inner.filter((line) => !line.startsWith('//'));
    this.#flow.table(layOutGrid(readTableRows(lines, separator, countColumns(named.get('cols')), render)));
  }

  #readParagraph(lines: readonly string[], at: number): number {
    const { positional } = this.#takePending();
    let end = at;
    while (end < lines.length && !this.#endsParagraph(lines[end]!, end > at)) end++;
    const block = lines.slice(at, end);
    const text = block.filter((line) => !line.startsWith('//')).join('\n');
    if (block.length > 1 && block.every((line) => /^\|.*\|\s*$/.test(line))) {
      this.#writeTable('|===', block, new Map());
      return end;
    }
    const [style = '', language = ''] = positional;
    if (/^(?:source|listing|literal)$/.test(style) || /^[ \t]/.test(text)) {
      this.#flow.code(text, style === 'source' && /^[\w+#-]{1,30}$/.test(language) ? language : '');
      return end;
    }
    const admonition = ADMONITION.exec(text)?.[1] ?? (ADMONITION_STYLE.test(style) ? style : undefined);
    if (admonition) {
      const runs = this.#inline(text.replace(ADMONITION, ''));
      this.#flow.quote(() =>
        this.#flow.paragraph([{ text: `${titleCase(admonition)}:`, bold: true }, { text: ' ' }, ...runs]),
      );
    } else if (style === 'quote' || style === 'verse') {
      this.#flow.quote(() => {
        this.#flow.paragraph(this.#inline(text));
        this.#writeSource(positional);
      });
    } else if (style === 'stem' || style === 'latexmath') this.#writeFormula(text);
    else this.#flow.paragraph(this.#inline(text));
    return end;
  }

  #endsParagraph(line: string, isLaterLine: boolean): boolean {
    const text = line.trimEnd();
    if (text === '') return true;
    return isLaterLine && (isDelimiter(text) || text === '+' || (text.startsWith('[') && text.endsWith(']')));
  }

  #readList(lines: readonly string[], at: number, depth: number): number {
    this.#takePending();
    const levels: Level[] = [];
    let end = at;
    for (let mark = readListMark(lines[end] ?? ''); mark; mark = readListMark(lines[end] ?? '')) {
      const level = findLevel(levels, mark);
      const text = [mark.text];
      end++;
      while (end < lines.length && !this.#endsParagraph(lines[end]!, true) && !readListMark(lines[end]!))
        text.push(lines[end++]!.trim());
      const term =
        mark.term === undefined
          ? []
          : [...this.#inline(mark.term).map((run) => ({ ...run, bold: true })), { text: ': ' }];
      const number = mark.number ?? levels[level]!.next;
      levels[level]!.next = number + 1;
      const runs = [...term, ...this.#inline(text.join('\n').trim())];
      this.#flow.listItem({ level, ordered: mark.isOrdered, ...(mark.isOrdered && { number }), runs });
      end = this.#readContinuations(lines, end, depth + 1);
      while (end < lines.length && lines[end]!.trim() === '' && findNextMark(lines, end)) end++;
    }
    this.#flow.endList();
    return end;
  }

  /**
   * Reads the blocks that a line with a plus sign attaches to a list item. Attached lists may have attached
   * blocks too, so that their depth is limited.
   */
  #readContinuations(lines: readonly string[], at: number, depth: number): number {
    let end = at;
    while (lines[end]?.trim() === '+' && depth <= MAX_DEPTH) {
      end++;
      while (end < lines.length && /^(?:\[.*\]|\.[^\s.].*)$/.test(lines[end]!.trimEnd()))
        end = this.#readBlock(lines, end, depth);
      if (end < lines.length && lines[end]!.trim() !== '') end = this.#readBlock(lines, end, depth);
    }
    return end;
  }
}

/** Returns whether the next line that is not blank is a list item. At most ten blank lines are passed. */
function findNextMark(lines: readonly string[], from: number): boolean {
  const next = lines.slice(from, from + 10).find((line) => line.trim() !== '');
  return next !== undefined && !isSection(next) && readListMark(next) !== undefined;
}
