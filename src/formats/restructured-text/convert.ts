import type { Flow } from '../shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '../shared/flow/grid.ts';
import type { Rendered, Run } from '../shared/flow/runs.ts';
import { Footnotes } from '../shared/markup/footnotes.ts';
import { countIndent, takeIndented } from '../shared/markup/indentation.ts';
import { type InlineReaders, joinLines, readInline } from '../shared/markup/inline.ts';
import { readDirective, writeDirective } from './directives.ts';
import { createReaders, normalizeName, type RstNames } from './inline.ts';
import {
  isAdornment,
  isGridTableBorder,
  isSimpleTableBorder,
  readListMark,
  readSectionTitle,
} from './marks.ts';
import { readGridTable, readSimpleTable } from './tables.ts';

/** Deeper blocks are written as plain paragraphs. */
const MAX_DEPTH = 10;
const DIRECTIVE = /^\.\. (?:\|([^|\n]{1,200})\| )?([a-zA-Z][\w:+.-]{0,60})::(?:[ \t](.*))?$/;
const NOTE = /^\.\. \[([^\][]{1,80})\](?:[ \t](.*))?$/;
const FIELD = /^:([^:\n]{1,100}):(?:[ \t](.*))?$/;
const TARGET = /^\.\. _(`[^`\n]{1,200}`|[^:\n]{1,200}):(?:[ \t]+(\S.*))?$/;

/** Collects the names of links and substitutions, which may be used before they are defined. */
function collectNames(lines: readonly string[]): RstNames {
  const names: RstNames = { links: new Map(), substitutions: new Map() };
  for (const [index, line] of lines.entries()) {
    const text = line.trimStart();
    if (!text.startsWith('.. ')) continue;
    const target = TARGET.exec(text);
    if (target?.[2]) names.links.set(normalizeName(target[1]!.replaceAll('`', '')), target[2].trim());
    const [, name, kind = '', value = ''] = DIRECTIVE.exec(text) ?? [];
    if (!name) continue;
    const { block } = takeIndented(lines, index + 1, line.length - text.length + 1);
    names.substitutions.set(name, writeSubstitution(kind, joinLines([value, ...block].join('\n'))));
  }
  return names;
}

/** Returns the text of a substitution, which is '' for pictures and dates. */
function writeSubstitution(kind: string, value: string): string {
  if (kind === 'replace') return value;
  if (kind !== 'unicode') return '';
  // A comment may follow the codes of the characters.
  return (value.split(' .. ')[0] ?? '').replace(
    /(?:^|\s)(?:0x|U\+)([\da-fA-F]{1,6})(?=\s|$)/g,
    (whole, code: string) =>
      Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : whole,
  );
}

/** Converts the lines of a reStructuredText document to blocks. */
export class RstConverter {
  readonly flow: Flow;
  readonly footnotes = new Footnotes();
  readonly fields = new Map<string, string>();
  title: string | undefined;
  /** Number of pictures that the document only refers to. */
  pictures = 0;
  readonly #readers: InlineReaders;
  readonly #sectionStyles: string[] = [];
  #listLevel = 0;
  /** Number of the last item of the open lists, by level. */
  readonly #numbers: number[] = [];

  constructor(flow: Flow, lines: readonly string[]) {
    this.flow = flow;
    this.#readers = createReaders(collectNames(lines), this.footnotes);
  }

  /** Converts lines to blocks. `depth` counts the blocks that contain the lines. */
  convert(lines: readonly string[], depth = 0): void {
    if (depth > MAX_DEPTH) {
      this.paragraph(lines.join('\n'));
      return;
    }
    for (let at = 0; at < lines.length; ) at = Math.max(at + 1, this.#readBlock(lines, at, depth));
  }

  paragraph(text: string): void {
    if (text.trim() !== '') this.flow.paragraph(this.#inline(text));
  }

  render(text: string): Rendered {
    return this.flow.render(
      text
        .split('\n')
        .flatMap((line, index) => [...(index > 0 ? [{ text: '\n' }] : []), ...this.#inline(line)]),
      false,
    );
  }

  #inline(text: string): Run[] {
    return readInline(joinLines(text), this.#readers);
  }

  /** Reads the block at a line, and returns the index of the line after it. */
  #readBlock(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    if (line.trim() === '') return at + 1;
    const section = readSectionTitle(lines, at);
    if (section) {
      this.#writeSection(section.text, section.style);
      return at + section.lines;
    }
    if (isGridTableBorder(line)) return this.#readGrid(lines, at);
    if (isSimpleTableBorder(line)) return this.#readSimple(lines, at);
    if (isAdornment(line) && line.trimEnd().length >= 4) return at + 1;
    if (/^\.\.(?:\s|$)/.test(line)) return this.#readExplicit(lines, at, depth);
    if (/^__ /.test(line)) return at + 1;
    if (countIndent(line) > 0) return this.#readQuote(lines, at, depth);
    if (readListMark(line)) return this.#readItem(lines, at, depth);
    const field = FIELD.exec(line);
    if (field) return this.#readField(lines, at, field[1]!, field[2] ?? '');
    if (/^>>> /.test(line)) return this.#readSession(lines, at);
    if (/^\| /.test(line)) return this.#readLineBlock(lines, at);
    return this.#readParagraph(lines, at, depth);
  }

  #writeSection(text: string, style: string): void {
    let level = this.#sectionStyles.indexOf(style);
    if (level < 0) level = this.#sectionStyles.push(style) - 1;
    const runs = this.#inline(text);
    this.title ??= runs.map((run) => run.text).join('');
    this.flow.heading(level + 1, runs);
  }

  #readGrid(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && /^[+|]/.test(lines[end]!)) end++;
    const source = lines.slice(at, end).map((line) => line.trimEnd());
    this.#writeTable(
      readGridTable(source, (text) => this.render(text)),
      source,
    );
    return end;
  }

  /** Writes a table. Tables that are too large to be read are written as they are drawn. */
  #writeTable(rows: GridCell[][] | undefined, source: readonly string[]): void {
    if (rows) this.flow.table(layOutGrid(rows));
    else this.flow.code(source.join('\n'));
  }

  #readSimple(lines: readonly string[], at: number): number {
    let end = at + 1;
    // The last border is followed by a blank line or by the end of the text.
    while (end < lines.length && !(isSimpleTableBorder(lines[end]!) && (lines[end + 1] ?? '').trim() === ''))
      end++;
    const source = lines.slice(at, end + 1);
    this.#writeTable(
      readSimpleTable(source, (text) => this.render(text)),
      source,
    );
    return end + 1;
  }

  #readExplicit(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!.trimEnd();
    const { block, end } = takeIndented(lines, at + 1, 1);
    const directive = DIRECTIVE.exec(line);
    const note = NOTE.exec(line);
    if (directive) {
      const [, substitution, name = '', argument = ''] = directive;
      if (name === 'image' || name === 'figure') this.pictures++;
      if (!substitution) writeDirective(this, readDirective(name, argument, block), depth + 1);
    } else if (note) {
      const [, name = '', first = ''] = note;
      const runs = this.#inline([first, ...block].join('\n'));
      if (/^(?:\d+|#[\w-]*|\*)$/.test(name)) this.footnotes.add(runs, this.footnotes.resolve(name, 'text'));
      else this.flow.paragraph([{ text: `[${name}] ` }, ...runs]);
    }
    // Comments and targets of links do not show. A comment ends before a blank line that directly follows `..`.
    return line === '..' && (lines[at + 1] ?? '').trim() === '' ? at + 1 : end;
  }

  #readQuote(lines: readonly string[], at: number, depth: number): number {
    const { block, end } = takeIndented(lines, at, 1);
    if (this.#listLevel > 0) this.convert(block, depth + 1);
    else this.flow.quote(() => this.convert(block, depth + 1));
    return end;
  }

  #readItem(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    const mark = readListMark(line)!;
    const { block, end } = takeIndented(lines, at + 1, Math.min(mark.width, 2));
    const first = line.slice(mark.width);
    // The first paragraph of an item ends at a blank line or where a nested list begins.
    const isNested = (each: string, index: number) =>
      each.trim() === '' || (index > 0 && block[index - 1] === '' && readListMark(each) !== undefined);
    const length = block.findIndex(isNested);
    const text = [first, ...block.slice(0, length < 0 ? block.length : length)];
    const level = this.#listLevel;
    const number = mark.number ?? (this.#numbers[level] ?? 0) + 1;
    this.#numbers[level] = number;
    if (DIRECTIVE.test(first)) this.convert(text, depth + 1);
    else this.flow.listItem({ level, ordered: mark.isOrdered, number, runs: this.#inline(text.join('\n')) });
    if (length >= 0) {
      this.#listLevel = level + 1;
      this.convert(block.slice(length), depth + 1);
      this.#listLevel = level;
    }
    const next = lines.slice(end, end + 3).find((each) => each.trim() !== '');
    this.#numbers.length = level + 1;
    const continues = next !== undefined && readListMark(next)?.isOrdered === mark.isOrdered;
    if (!continues) this.#numbers.length = level;
    if (!continues && level === 0) this.flow.endList();
    return end;
  }

  #readField(lines: readonly string[], at: number, name: string, value: string): number {
    const { block, end } = takeIndented(lines, at + 1, 1);
    const text = [value, ...block].join('\n');
    this.fields.set(name.toLowerCase(), text.trim());
    const runs = [{ text: `${name}:`, bold: true }, { text: ' ' }, ...this.#inline(text)];
    this.flow.listItem({ level: this.#listLevel, ordered: false, runs });
    return end;
  }

  #readSession(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && lines[end]!.trim() !== '') end++;
    this.flow.code(lines.slice(at, end).join('\n'), 'python');
    return end;
  }

  #readLineBlock(lines: readonly string[], at: number): number {
    let end = at;
    const runs: Run[] = [];
    for (; end < lines.length && /^\|(?: |$)/.test(lines[end]!); end++) {
      if (end > at) runs.push({ text: '\n' });
      for (const run of this.#inline(lines[end]!.slice(1))) runs.push(run);
    }
    this.flow.paragraph(runs);
    return Math.max(end, at + 1);
  }

  #readParagraph(lines: readonly string[], at: number, depth: number): number {
    let end = at + 1;
    while (end < lines.length && lines[end]!.trim() !== '' && countIndent(lines[end]!) === 0) end++;
    const text = lines.slice(at, end).join('\n').trimEnd();
    const isTerm = end === at + 1 && (lines[end] ?? '').trim() !== '' && countIndent(lines[end] ?? '') > 0;
    if (text.endsWith('::')) {
      const before = text.slice(0, -2);
      this.paragraph(before.trim() === '' || /\s$/.test(before) ? before : `${before}:`);
      const { block, end: after } = takeIndented(lines, end, 1);
      this.flow.code(block.join('\n'));
      return after;
    }
    if (!isTerm) {
      this.paragraph(text);
      return end;
    }
    // A line directly above indented text is the term of a definition.
    const { block, end: after } = takeIndented(lines, end, 1);
    this.flow.paragraph(this.#inline(text).map((run) => ({ ...run, bold: true })));
    this.convert(block, depth + 1);
    return after;
  }
}
