import { HARD_BREAK, isBlank, type Run } from '../shared/flow/runs.ts';
import { beginEnvironment } from './begin-environment.ts';
import type { BlockWriter } from './blocks.ts';
import type { Style } from './commands.ts';
import { findCaptionLabel, findList, isQuote, PLAIN_GROUP } from './environments.ts';
import { type ExpandedLatex, VERBATIM_END, VERBATIM_START } from './expand.ts';
import { findInlineMathEnd, writeInlineFormula } from './math.ts';
import { LatexReader } from './reader.ts';
import { runCommand } from './run-command.ts';
import type { OpenTable } from './tables.ts';

/** Group in braces. If `close` is set, the text of the group is collected and passed to it. */
interface Group {
  style: Style;
  outer?: Run[];
  close?: ((runs: Run[]) => void) | undefined;
}

interface Environment {
  name: string;
  style: Style;
  groups: number;
  table?: OpenTable;
  outer?: Run[];
  /** Name of the innermost figure, table or similar environment, which is this environment or contains it. */
  float: string | undefined;
}

/**
 * Maximum number of nested headings, notes and tables whose text is collected. The text of deeper ones belongs
 * to the outer ones.
 */
const MAX_CAPTURES = 12;

const SPECIAL = /[\\{}$&~\n\ue010]/g;

/** Replaces the ways in which TeX writes dashes and quotation marks. */
const writeTypography = (text: string) =>
  text.replaceAll('---', '—').replaceAll('--', '–').replace(/``|''/g, '"').replaceAll('`', "'");

/** Converts the expanded text of a LaTeX document to blocks. Uses stacks instead of recursion. */
export class LatexConverter {
  readonly reader: LatexReader;
  readonly writer: BlockWriter;
  readonly theorems: ReadonlyMap<string, string>;
  readonly references: ReadonlyMap<string, string>;
  /** Level of headings by command, such as `section`. */
  readonly levels: ReadonlyMap<string, number>;
  style: Style = {};
  #runs: Run[] = [];
  readonly #verbatims: ExpandedLatex['verbatims'];
  readonly #groups: Group[] = [];
  readonly #environments: Environment[] = [];
  readonly #openCounts = new Map<string, number>();
  readonly #captionCounts = new Map<string, number>();
  #captures = 0;

  constructor(
    text: string,
    { verbatims, theorems }: ExpandedLatex,
    settings: Pick<LatexConverter, 'writer' | 'references' | 'levels'>,
  ) {
    this.reader = new LatexReader(text);
    this.#verbatims = verbatims;
    this.theorems = theorems;
    this.writer = settings.writer;
    this.references = settings.references;
    this.levels = settings.levels;
  }

  convert(): void {
    const { text } = this.reader;
    while (this.reader.at < text.length) {
      SPECIAL.lastIndex = this.reader.at;
      const special = SPECIAL.exec(text)?.index ?? text.length;
      if (special > this.reader.at) this.addText(text.slice(this.reader.at, special));
      this.reader.at = special;
      if (special < text.length) this.#readSpecial(text[special]!);
    }
    while (this.#environments.length > 0) this.#closeEnvironment();
    while (this.#groups.length > 0) this.closeGroup();
    this.endParagraph();
  }

  /** True if the text belongs to a heading, a footnote or a cell, which cannot contain blocks. */
  get isCaptured(): boolean {
    return this.#captures > 0;
  }

  get table(): OpenTable | undefined {
    return this.#environments.at(-1)?.table;
  }

  addText(text: string): void {
    this.#runs.push({ ...this.style, text: this.style.code ? text : writeTypography(text) });
  }

  addExact(text: string): void {
    this.#runs.push({ ...this.style, text });
  }

  addRun(run: Run): void {
    this.#runs.push(run);
  }

  addFormula(latex: string): void {
    if (latex !== '') this.#runs.push({ text: latex, markdown: `$${latex}$` });
  }

  /** Adds a displayed formula as a block, or as a line of the text that is being collected. */
  addDisplayedFormula(latex: string): void {
    if (this.isCaptured) {
      this.addFormula(latex.replace(/\n/g, ' '));
    } else if (this.writer.isInList) {
      this.lineBreak();
      if (latex !== '') this.#runs.push({ text: latex, markdown: `$$${latex.replace(/\n/g, ' ')}$$` });
      this.lineBreak();
    } else {
      this.endParagraph();
      this.writer.formula(latex);
    }
  }

  lineBreak(): void {
    if (!isBlank(this.#runs)) this.#runs.push({ text: HARD_BREAK });
  }

  endParagraph(): void {
    if (this.isCaptured) {
      this.lineBreak();
      return;
    }
    if (this.#runs.length === 0) return;
    const runs = this.#runs;
    this.#runs = [];
    this.writer.paragraph(runs);
  }

  /** Opens a group at the next brace. If `close` is given, it gets the text of the group. */
  openGroup(style: Style = {}, onClose?: (runs: Run[]) => void): void {
    const close = this.#captures < MAX_CAPTURES ? onClose : undefined;
    this.reader.skipBlanks();
    this.reader.at++;
    this.#groups.push({ style: this.style, ...(close && { outer: this.#runs, close }) });
    this.style = { ...this.style, ...style };
    if (!close) return;
    this.#captures++;
    this.#runs = [];
  }

  closeGroup(): void {
    const group = this.#groups.pop();
    if (!group) return;
    this.style = group.style;
    if (!group.outer) return;
    const runs = this.#runs;
    this.#runs = group.outer;
    this.#captures--;
    group.close?.(runs);
  }

  openEnvironment(name: string, newTable?: OpenTable): void {
    const table = this.#captures < MAX_CAPTURES ? newTable : undefined;
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + 1);
    this.#environments.push({
      name,
      style: this.style,
      groups: this.#groups.length,
      float: findCaptionLabel(name) === undefined ? this.#environments.at(-1)?.float : name,
      ...(table && { table, outer: this.#runs }),
    });
    if (!table) return;
    this.#captures++;
    this.#runs = [];
  }

  endEnvironment(name: string): void {
    if (!this.#openCounts.get(name)) return;
    for (let ended = ''; ended !== name; ) {
      ended = this.#environments.at(-1)?.name ?? name;
      this.#closeEnvironment();
    }
  }

  endCell(): void {
    this.table?.endCell(this.#runs);
    this.#runs = [];
  }

  endRow(): void {
    this.table?.endRow(this.#runs);
    this.#runs = [];
  }

  /** Writes a caption with the number of its figure or table. */
  writeCaption(runs: readonly Run[]): void {
    const float = this.#environments.at(-1)?.float;
    const label = float && findCaptionLabel(float);
    if (!label || float.startsWith('sub')) {
      this.#writeBlock(runs);
      return;
    }
    const number = (this.#captionCounts.get(label) ?? 0) + 1;
    this.#captionCounts.set(label, number);
    this.#writeBlock([{ text: `${label} ${number}: ` }, ...runs]);
  }

  #writeBlock(runs: readonly Run[]): void {
    this.endParagraph();
    if (this.isCaptured) for (const run of runs) this.addRun(run);
    else this.writer.paragraph(runs);
  }

  #closeEnvironment(): void {
    const environment = this.#environments.pop();
    if (!environment) return;
    const { name, table, outer, style } = environment;
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 1) - 1);
    while (this.#groups.length > environment.groups) this.closeGroup();
    if (table && outer) {
      table.endRow(this.#runs);
      this.#runs = outer;
      this.#captures--;
      this.endParagraph();
      this.writer.table(table.rows);
    } else if (name !== PLAIN_GROUP) this.endParagraph();
    this.style = style;
    if (isQuote(name)) this.writer.quoteDepth--;
    if (findList(name)) this.writer.closeList();
  }

  #readSpecial(character: string): void {
    const { reader } = this;
    reader.at++;
    if (character === '\\') this.#readCommand();
    else if (character === '{') {
      reader.at--;
      this.openGroup();
    } else if (character === '}') {
      if (this.#groups.length > (this.#environments.at(-1)?.groups ?? 0)) this.closeGroup();
    } else if (character === '$') this.#readMath();
    else if (character === '&') this.#readAmpersand();
    else if (character === '\n') this.#readNewline();
    else if (character === VERBATIM_START) this.#readVerbatim();
    else this.addExact(' ');
  }

  #readAmpersand(): void {
    if (this.table) this.endCell();
    else this.addExact(' ');
  }

  #readNewline(): void {
    const { text, at } = this.reader;
    let end = at;
    while (text[end] === ' ' || text[end] === '\t') end++;
    this.reader.at = end;
    if (text[end] === '\n' && !this.table) this.endParagraph();
    else this.addExact(' ');
  }

  #readMath(): void {
    const { reader } = this;
    const isDisplayed = reader.text[reader.at] === '$';
    const start = isDisplayed ? reader.at + 1 : reader.at;
    const end = isDisplayed ? reader.find('$$', start) : findInlineMathEnd(reader, start);
    if (end < 0) return;
    const latex = writeInlineFormula(reader.text.slice(start, end));
    reader.at = end + (isDisplayed ? 2 : 1);
    if (isDisplayed) this.addDisplayedFormula(latex);
    else this.addFormula(latex);
  }

  #readVerbatim(): void {
    const { reader } = this;
    const end = reader.text.indexOf(VERBATIM_END, reader.at);
    const verbatim = this.#verbatims[Number(reader.text.slice(reader.at, end))];
    reader.at = end + 1;
    if (!verbatim) return;
    const { text, language, isInline } = verbatim;
    if (isInline || this.isCaptured) {
      this.addRun({ text, code: true });
      return;
    }
    this.endParagraph();
    this.writer.code(text, language);
  }

  #readCommand(): void {
    const { reader } = this;
    const near = reader.text.slice(reader.at, reader.at + 100);
    const name = /^(?:[a-zA-Z@]+|[\s\S])/.exec(near)?.[0] ?? '';
    reader.at += name.length;
    if (name === 'begin') beginEnvironment(this, (reader.readGroup() ?? '').trim());
    else if (name === 'end') this.endEnvironment((reader.readGroup() ?? '').trim());
    else runCommand(this, name);
  }
}
