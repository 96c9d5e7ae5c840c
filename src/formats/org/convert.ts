import { isMathEnvironment, writeDisplayedFormula } from '../latex/math.ts';
import { buildIncludedFileOmission } from '../shared/containers/unread-parts.ts';
import type { Flow } from '../shared/flow/flow.ts';
import type { Run } from '../shared/flow/runs.ts';
import { Footnotes } from '../shared/markup/footnotes.ts';
import { countIndent, cutIndent } from '../shared/markup/indentation.ts';
import { joinLines, readInline } from '../shared/markup/inline.ts';
import { createReaders } from './inline.ts';
import { isTableLine, type ListMark, readHeadline, readListMark, splitTableRows } from './lines.ts';

const MAX_DEPTH = 8;
const KEYWORD = /^[ \t]{0,60}#\+([A-Za-z][\w-]{0,40})(?:\[[^\]]{0,300}\])?:(.*)$/;
const BLOCK = /^[ \t]{0,60}#\+begin_(\S{1,40})(?:[ \t](.*))?$/i;
const ENVIRONMENT = /^[ \t]{0,60}\\begin\{([A-Za-z*]{1,40})\}/;
const NOTE = /^\[fn:([\w-]{1,60})\][ \t]/;
const DRAWER = /^[ \t]{0,60}:[\w-]{1,60}:[ \t]*$/;
const HIDDEN_DRAWER = /^[ \t]*:(?:PROPERTIES|LOGBOOK):/i;
const PLANNING = /^[ \t]{0,60}(?:SCHEDULED|DEADLINE|CLOSED):/;
const DRAWER_END = /^[ \t]{0,60}:END:[ \t]*$/i;

interface Level {
  indent: number;
  isOrdered: boolean;
  /** Number of the next item. */
  next: number;
}

/** Converts the lines of an Org document to blocks. */
export class OrgConverter {
  readonly #flow: Flow;
  readonly footnotes = new Footnotes();
  readonly keywords = new Map<string, string>();
  readonly #readers = createReaders(this.footnotes);
  readonly #states = new Set(['TODO', 'DONE', 'NEXT', 'WAITING', 'HOLD', 'CANCELLED', 'CANCELED', 'STARTED']);
  #headingShift = 0;
  /** Result of the last search for the end of a drawer, so that each line is searched once. */
  readonly #drawerEnds = new WeakMap<readonly string[], number>();

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Converts lines to blocks. `depth` counts the blocks that contain the lines. */
  convert(lines: readonly string[], depth = 0): void {
    for (let at = 0; at < lines.length; ) at = Math.max(at + 1, this.#readBlock(lines, at, depth));
  }

  #inline(text: string): Run[] {
    const marked = text.replaceAll('\\\\\n', '\ue000\n');
    return readInline(joinLines(marked).replace(/ ?\ue000 ?/g, '\n'), this.#readers);
  }

  /** Reads the block at a line, and returns the index of the line after it. */
  #readBlock(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    if (line.trim() === '' || /^[ \t]*# |^[ \t]*#$/.test(line) || /^[ \t]*-{5,}[ \t]*$/.test(line))
      return at + 1;
    const headline = readHeadline(line, this.#states);
    if (headline?.isComment) return this.#skipSubtree(lines, at, headline.level);
    if (headline) {
      const state = headline.state ? `${headline.state} ` : '';
      this.#flow.heading(headline.level + this.#headingShift, [
        { text: state },
        ...this.#inline(headline.text),
      ]);
      return at + 1;
    }
    const keyword = KEYWORD.exec(line);
    if (BLOCK.test(line)) return this.#readDelimited(lines, at, depth);
    if (keyword) return this.#readKeyword(keyword[1]!, keyword[2]?.trim() ?? '', at);
    if (DRAWER.test(line)) return this.#readDrawer(lines, at);
    if (/^[ \t]*CLOCK:/.test(line)) return at + 1;
    if (isTableLine(line)) return this.#readTable(lines, at);
    if (/^[ \t]*:(?: |$)/.test(line)) return this.#readFixedWidth(lines, at);
    if (ENVIRONMENT.test(line)) return this.#readEnvironment(lines, at);
    if (readListMark(line)) return this.#readList(lines, at, depth);
    if (PLANNING.test(line)) {
      this.#flow.paragraph(this.#inline(line));
      return at + 1;
    }
    return this.#readParagraph(lines, at);
  }

  #skipSubtree(lines: readonly string[], at: number, level: number): number {
    let end = at + 1;
    while (end < lines.length && (readHeadline(lines[end]!, this.#states)?.level ?? level + 1) > level) end++;
    return end;
  }

  #readKeyword(name: string, value: string, at: number): number {
    const key = name.toLowerCase();
    if (key === 'title' && !this.keywords.has('title')) {
      this.#headingShift = 1;
      this.#flow.heading(1, this.#inline(value));
    } else if (key === 'author' || key === 'date' || key === 'subtitle')
      this.#flow.paragraph(this.#inline(value));
    else if (key === 'caption')
      this.#flow.paragraph(this.#inline(value).map((run) => ({ ...run, bold: true })));
    else if (/^(?:seq_|typ_)?todo$/.test(key)) {
      for (const state of value.split(/[\s|]+/)) if (state) this.#states.add(state.split('(')[0] ?? state);
    } else if (key === 'include') {
      this.#flow.omit(buildIncludedFileOmission(value.replace(/^"([^"]*)".*$/, '$1')));
    } else if (key === 'title') {
      this.#flow.paragraph(this.#inline(value));
      return at + 1;
    }
    this.keywords.set(key, value);
    return at + 1;
  }

  /** Skips a drawer of properties or of logged times. Of other drawers, only the marks are skipped. */
  #readDrawer(lines: readonly string[], at: number): number {
    if (DRAWER_END.test(lines[at]!)) return at + 1;
    const end = this.#findDrawerEnd(lines, at + 1);
    if (!DRAWER_END.test(lines[end] ?? '')) return this.#readParagraph(lines, at);
    return HIDDEN_DRAWER.test(lines[at]!) ? end + 1 : at + 1;
  }

  /** Returns the index of the next line that ends a drawer, or of a headline or the end before it. */
  #findDrawerEnd(lines: readonly string[], from: number): number {
    const known = this.#drawerEnds.get(lines);
    if (known !== undefined && known >= from) return known;
    let end = from;
    while (end < lines.length && !DRAWER_END.test(lines[end]!) && !lines[end]!.startsWith('* ')) end++;
    this.#drawerEnds.set(lines, end);
    return end;
  }

  #readDelimited(lines: readonly string[], at: number, depth: number): number {
    const [, name = '', argument = ''] = BLOCK.exec(lines[at]!) ?? [];
    const kind = name.toLowerCase();
    const mark = `#+end_${kind}`;
    let end = at + 1;
    while (end < lines.length && lines[end]!.trim().toLowerCase() !== mark) end++;
    const inner = lines.slice(at + 1, end);
    if (kind === 'src' || kind === 'example') {
      const language = /^[\w+#-]{1,30}/.exec(kind === 'src' ? argument.trim() : '')?.[0] ?? '';
      const filled = inner.filter((line) => line.trim() !== '');
      const least = filled.reduce((fewest, line) => Math.min(fewest, countIndent(line)), 60);
      const code = inner.map((line) => cutIndent(line, least).replace(/^,(?=[*#,])/, ''));
      this.#flow.code(code.join('\n'), language);
    } else if (kind === 'verse')
      this.#flow.quote(() =>
        this.#flow.paragraph(inner.flatMap((line) => [...this.#inline(line), { text: '\n' }])),
      );
    else if (kind === 'export')
      this.#flow.omit({
        kind: 'unsupported_object',
        message: `A block for the export to ${argument.slice(0, 50)} was skipped.`,
      });
    else if (depth >= MAX_DEPTH) this.#flow.paragraph(this.#inline(inner.join('\n')));
    else if (kind === 'quote') this.#flow.quote(() => this.convert(inner, depth + 1));
    else if (kind !== 'comment') this.convert(inner, depth + 1);
    return end + 1;
  }

  #readTable(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && isTableLine(lines[end]!)) end++;
    const rows = splitTableRows(lines.slice(at, end));
    this.#flow.table(rows.map((row) => row.map((cell) => this.#flow.render(this.#inline(cell), false))));
    return end;
  }

  #readFixedWidth(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && /^[ \t]*:(?: |$)/.test(lines[end]!)) end++;
    this.#flow.code(
      lines
        .slice(at, end)
        .map((line) => line.replace(/^[ \t]*: ?/, ''))
        .join('\n'),
    );
    return end;
  }

  #readEnvironment(lines: readonly string[], at: number): number {
    const name = ENVIRONMENT.exec(lines[at]!)?.[1] ?? '';
    const mark = `\\end{${name}}`;
    let end = at;
    while (end < lines.length && end < at + 500 && !lines[end]!.includes(mark)) end++;
    if (end >= lines.length || end >= at + 500) return this.#readParagraph(lines, at);
    const whole = lines.slice(at, end + 1).join('\n');
    const content = whole.slice(whole.indexOf('}') + 1, whole.lastIndexOf(mark));
    const latex = isMathEnvironment(name) ? writeDisplayedFormula(name, content) : whole;
    this.#flow.block({ type: 'paragraph', text: latex, markdown: `$$\n${latex}\n$$` });
    return end + 1;
  }

  #readParagraph(lines: readonly string[], at: number): number {
    let end = at + 1;
    while (end < lines.length && !this.#endsParagraph(lines[end]!)) end++;
    const text = lines.slice(at, end).join('\n');
    const note = NOTE.exec(lines[at]!);
    if (note) this.footnotes.add(this.#inline(text.slice(text.indexOf(']') + 1)), note[1]);
    else this.#flow.paragraph(this.#inline(text));
    return end;
  }

  #endsParagraph(line: string): boolean {
    return (
      line.trim() === '' ||
      /^\*+[ \t]|^[ \t]*(?:#\+|# |\|)/.test(line) ||
      NOTE.test(line) ||
      DRAWER.test(line) ||
      PLANNING.test(line) ||
      readListMark(line) !== undefined
    );
  }

  #readList(lines: readonly string[], at: number, depth: number): number {
    const levels: Level[] = [];
    let end = at;
    for (let mark = readListMark(lines[end] ?? ''); mark; mark = readListMark(lines[end] ?? '')) {
      const text = [mark.text];
      end++;
      while (end < lines.length && !this.#endsParagraph(lines[end]!)) text.push(lines[end++]!.trim());
      this.#writeItem(levels, mark, text.join('\n'));
      const { indent } = mark;
      // Blocks that are indented more than the mark belong to the item.
      for (let isInside = true; isInside; ) {
        let next = end;
        while (next < lines.length && next < end + 2 && lines[next]!.trim() === '') next++;
        const line = lines[next];
        isInside =
          line !== undefined && line.trim() !== '' && countIndent(line) > indent && !readListMark(line);
        if (isInside) end = Math.max(next + 1, this.#readBlock(lines, next, depth));
        else if (line !== undefined && readListMark(line)) end = next;
      }
    }
    this.#flow.endList();
    return end;
  }

  #writeItem(levels: Level[], mark: ListMark, text: string): void {
    while (levels.length > 0 && levels.at(-1)!.indent > mark.indent) levels.pop();
    if (levels.length === 1 && levels[0]!.isOrdered !== mark.isOrdered && levels[0]!.indent === mark.indent) {
      levels.pop();
      this.#flow.endList();
    }
    if (levels.at(-1)?.indent !== mark.indent)
      levels.push({ indent: mark.indent, isOrdered: mark.isOrdered, next: 1 });
    const open = levels.at(-1)!;
    const number = mark.number ?? open.next;
    open.next = number + 1;
    const term =
      mark.term === undefined
        ? []
        : [...this.#inline(mark.term).map((run) => ({ ...run, bold: true })), { text: ': ' }];
    const runs = [...term, ...this.#inline(text)];
    this.#flow.listItem({ level: levels.length - 1, ordered: mark.isOrdered, number, runs });
  }
}
