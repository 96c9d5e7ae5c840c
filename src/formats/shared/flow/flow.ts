import type { Block, BlockType, Box, EncodedImage, Link, Omission, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { renderTable } from '#src/documents/markdown/render-table.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { codeFence } from '#src/lib/text/backticks.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { checkTableSize } from './grid.ts';
import { type ListItem, renderList } from './lists.ts';
import { FlowPictures, type ImageOptions, type NamedImage } from './pictures.ts';
import { isBlank, listLinks, oneLine, type Rendered, type Run, renderRuns } from './runs.ts';

export interface FlowResult {
  pages: Page[];
  images: Map<string, EncodedImage>;
  omissions: Omission[];
}

export interface PageSettings {
  label?: string | undefined;
  /** Page width in points. */
  width?: number | undefined;
  height?: number | undefined;
}

/** Maximum number of blocks and list items. 100,000 list items took 99 MiB (npm run bench:parse-limits). */
const MAX_BLOCKS = 80_000;
/** Maximum number of blank lines written above a block. More than one blank line may mark a page boundary. */
const MAX_BLANK_LINES = 20;
/**
 * Maximum number of cells in all tables together, including empty ones. A single wide row among many short
 * rows makes a table large.
 */
const MAX_TABLE_CELLS = 1_000_000;
/**
 * Maximum total length of all link addresses, in characters. Many links may share one long address, and each
 * link writes it out again.
 */
const MAX_ADDRESS_CHARACTERS = 16 * 1024 * 1024;
/**
 * Deeper quotes are written at this depth. Every line repeats the quote marks, which would otherwise outgrow
 * the text.
 */
const MAX_QUOTE_DEPTH = 20;

const countCharacters = (cells: readonly Rendered[]): number =>
  cells.reduce((sum, { text }) => sum + text.length, 0);

export class Flow {
  readonly #plan: ParsePlan;
  readonly #budget: WorkBudget;
  readonly #pages: Page[] = [];
  readonly #pictures: FlowPictures;
  readonly #blankLines = new Map<Block, number>();
  readonly #omissions: Omission[] = [];
  #page: Page | undefined;
  #list: ListItem[] = [];
  #quoteDepth = 0;
  #blocks = 0;
  #tableCells = 0;
  #addresses = 0;

  constructor(plan: ParsePlan, budget: WorkBudget) {
    this.#plan = plan;
    this.#budget = budget;
    this.#pictures = new FlowPictures(plan, (omission) => this.omit(omission));
  }

  /** Records that a part of the document is missing from its pages. */
  omit(omission: Omission): void {
    this.#omissions.push(omission);
  }

  get links(): boolean {
    return this.#plan.layout.links !== false;
  }

  render(runs: readonly Run[], lineStart = true): Rendered {
    this.#countAddresses(runs);
    return renderRuns(runs, { links: this.links, lineStart });
  }

  heading(level: number, runs: readonly Run[], box?: Box): void {
    const plain = runs.map((run) => ({ ...run, bold: undefined }));
    const { text, markdown } = this.render(plain, false);
    if (text === '') {
      this.paragraph(runs);
      return;
    }
    const depth = Math.min(6, Math.max(1, level));
    this.#addLinks(runs);
    const line = `${'#'.repeat(depth)} ${oneLine(markdown)}`;
    this.#add({ type: 'heading', text, markdown: line, level: depth }, box);
  }

  paragraph(runs: readonly Run[], type: BlockType = 'paragraph', box?: Box): void {
    if (isBlank(runs)) return;
    this.#addLinks(runs);
    this.#add({ type, ...this.render(runs) }, box);
  }

  /** Adds the text of a spreadsheet cell that stands outside of a table. */
  sheetText(runs: readonly Run[], cell: Block['cell']): void {
    if (isBlank(runs)) return;
    this.#addLinks(runs);
    this.#add({ type: 'paragraph', ...this.render(runs), ...(cell && { cell }) });
  }

  /** Adds a list item. Consecutive items become one list. */
  listItem(item: ListItem): void {
    if (isBlank(item.runs)) return;
    this.#count();
    this.#countAddresses(item.runs);
    this.#addLinks(item.runs);
    this.#list.push(item);
  }

  /** Adds a table. Rows contain their cells in order, and the first row is the header. */
  table(rows: readonly (readonly Rendered[])[], box?: Box, cell?: Block['cell']): void {
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    checkTableSize(rows.length, columns);
    this.#tableCells += rows.length * columns;
    if (this.#tableCells > MAX_TABLE_CELLS) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The tables of the file have more than ${MAX_TABLE_CELLS} cells, including empty ones.`,
      );
    }
    for (const row of rows) {
      this.#budget.spend('cell', row.length);
      this.#budget.spend('character', countCharacters(row));
    }
    const text = rows.map((row) => row.map((cell) => oneLine(cell.text)).join('\t')).join('\n');
    if (text.trim() === '' && !rows.flat().some((cell) => cell.markdown !== '')) return;
    const html = this.#plan.tables.html;
    const cells = rows.map((row) =>
      row.map((cell) =>
        (html ? cell.text : cell.markdown).replace(/[ \t]{2,}/g, ' ').replaceAll(' \n', '\n'),
      ),
    );
    const markdown = renderTable(cells, this.#plan.tables);
    this.#add({ type: 'table', text, markdown, ...(cell && { cell }) }, box);
  }

  code(text: string, language = ''): void {
    const body = text.replace(/\r\n?/g, '\n').trimEnd().replace(/^\n+/, '');
    if (body === '') return;
    const fence = codeFence(body);
    this.#add({ type: 'code', text: body, markdown: `${fence}${language}\n${body}\n${fence}` });
  }

  /**
   * Adds a block whose Markdown is already written, with `blankLines` blank lines above it in the page's
   * Markdown.
   */
  block(block: Block, blankLines = 1): void {
    this.#add(block, block.box);
    if (blankLines > 1) this.#blankLines.set(block, Math.min(blankLines, MAX_BLANK_LINES));
  }

  link(link: Link): void {
    this.#countAddress(link.url);
    this.#current().links.push(link);
  }

  /**
   * Shows a picture inside a line. Returns the run that shows the picture, or `undefined` if the picture is
   * not shown.
   */
  image(bytes: Uint8Array, options: ImageOptions = {}): Run | undefined {
    if (!this.#plan.images.extract) return undefined;
    return this.#pictures.show(this.#current(), bytes, options);
  }

  /**
   * Shows a picture inside a line. The document may refer to the picture many times by its name or address
   * `source`. `load` is called for the first reference only.
   */
  namedImage(source: string, load: () => Uint8Array | undefined, options: ImageOptions = {}): NamedImage {
    return this.#pictures.showNamed(this.#current(), source, load, options);
  }

  /** Shows a picture as a separate figure block. `source` and `load` work as in `namedImage`. */
  namedFigure(source: string, load: () => Uint8Array | undefined, options: ImageOptions = {}): void {
    const { run } = this.namedImage(source, load, options);
    if (run) this.#add({ type: 'figure', text: run.text, markdown: run.markdown ?? '' }, options.box);
  }

  quote(inner: () => void): void {
    this.#endList();
    this.#quoteDepth++;
    inner();
    this.#endList();
    this.#quoteDepth--;
  }

  /** Ends the list, so that a list item that follows begins another list. */
  endList(): void {
    this.#endList();
  }

  /** Starts a new page with the next block. Does nothing if the current page is still empty. */
  pageBreak(): void {
    this.#endList();
    if (this.#page && (this.#page.blocks.length > 0 || this.#page.figures.length > 0)) this.#page = undefined;
  }

  /** Starts a page that is kept even if it stays empty, such as a slide or a sheet. */
  startPage(settings: PageSettings = {}): Page {
    this.#endList();
    const index = this.#pages.length;
    const page: Page = {
      index,
      label: settings.label ?? String(index + 1),
      width: settings.width ?? 612,
      height: settings.height ?? 792,
      text: '',
      markdown: '',
      blocks: [],
      words: [],
      links: [],
      figures: [],
    };
    this.#pages.push(page);
    this.#page = page;
    return page;
  }

  finish(): FlowResult {
    this.#endList();
    for (const page of this.#pages) {
      page.text = page.blocks
        .map((block) => block.text)
        .filter((text) => text !== '')
        .join('\n\n');
      page.markdown = page.blocks
        .map(
          (block, at) => (at > 0 ? '\n'.repeat(1 + (this.#blankLines.get(block) ?? 1)) : '') + block.markdown,
        )
        .join('');
    }
    this.#pictures.markRepeated(this.#pages);
    return { pages: this.#pages, images: this.#pictures.images, omissions: this.#omissions };
  }

  #current(): Page {
    return this.#page ?? this.startPage();
  }

  #add(block: Block, box?: Box): void {
    this.#endList();
    if (this.#quoteDepth > 0) {
      const prefix = '> '.repeat(Math.min(this.#quoteDepth, MAX_QUOTE_DEPTH));
      block.markdown = block.markdown.replace(/^/gm, prefix);
    }
    if (box) block.box = box;
    if (block.type !== 'table') this.#budget.spend('character', block.text.length);
    this.#count();
    this.#current().blocks.push(block);
  }

  #count(): void {
    this.#budget.spend('block');
    this.#blocks += 1;
    if (this.#blocks <= MAX_BLOCKS) return;
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The file has more than ${MAX_BLOCKS} paragraphs and list items.`,
    );
  }

  #endList(): void {
    if (this.#list.length === 0) return;
    const items = this.#list;
    this.#list = [];
    this.#add({ type: 'list', ...renderList(items, { links: this.links }) });
  }

  #addLinks(runs: readonly Run[]): void {
    const { links } = this.#current();
    for (const link of listLinks(runs)) links.push(link);
  }

  #countAddresses(runs: readonly Run[]): void {
    let last: string | undefined;
    for (const { href } of runs) {
      if (href !== undefined && href !== last) this.#countAddress(href);
      last = href;
    }
  }

  /**
   * Adds the length of a link address to the total. Throws ParseError DOCUMENT_TOO_LARGE if the total exceeds
   * the limit.
   */
  #countAddress(url: string): void {
    this.#addresses += url.length;
    if (this.#addresses <= MAX_ADDRESS_CHARACTERS) return;
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The link addresses in the file have more than ${MAX_ADDRESS_CHARACTERS} characters in total.`,
    );
  }
}
