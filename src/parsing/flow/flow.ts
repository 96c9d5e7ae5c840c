import type { Block, BlockType, Box, EncodedImage, Figure, Link, Page } from '#src/parsing/document.ts';
import { ParseError, StrictModeError } from '#src/parsing/errors.ts';
import { imageHeader } from '#src/parsing/image/header.ts';
import { markdownTable, tableOptions } from '#src/parsing/markdown/render-table.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import type { WorkBudget } from '#src/parsing/work-budget.ts';
import { checkTableSize } from './grid.ts';
import { type ListItem, renderList } from './lists.ts';
import { isBlank, oneLine, type Rendered, type Run, renderRuns } from './runs.ts';

export interface FlowResult {
  pages: Page[];
  images: Map<string, EncodedImage>;
}

export interface PageSettings {
  label?: string | undefined;
  /** Points. */
  width?: number | undefined;
  height?: number | undefined;
}

export interface ImageOptions {
  alt?: string | undefined;
  box?: Box | undefined;
}

/** Smaller pictures than this, in pixels of either side, are bullets, rules and tracking dots. */
const NOISE_PIXELS = 24;
const MAX_FIGURES = 2_000;
/** Blocks and list items; of the latter 100,000 took 99 MiB (npm run bench:parse-limits). */
const MAX_BLOCKS = 80_000;
/** Above a block, where the text has more than one: they may be what divides its pages. */
const MAX_BLANK_LINES = 20;

const countCharacters = (cells: readonly Rendered[]): number =>
  cells.reduce((sum, { text }) => sum + text.length, 0);

/** Collects the blocks of a document in reading order and cuts them into pages. */
export class Flow {
  readonly images = new Map<string, EncodedImage>();
  readonly #parameters: ParseParameters;
  readonly #budget: WorkBudget;
  readonly #pages: Page[] = [];
  readonly #nameByBytes = new Map<string, string>();
  readonly #blankLines = new Map<Block, number>();
  #page: Page | undefined;
  #list: ListItem[] = [];
  #quoteDepth = 0;
  #blocks = 0;

  constructor(parameters: ParseParameters, budget: WorkBudget) {
    this.#parameters = parameters;
    this.#budget = budget;
  }

  get links(): boolean {
    return this.#parameters.annotate_links !== false;
  }

  render(runs: readonly Run[], lineStart = true): Rendered {
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
    this.#collectLinks(runs);
    const line = `${'#'.repeat(depth)} ${oneLine(markdown)}`;
    this.#add({ type: 'heading', text, markdown: line, level: depth }, box);
  }

  paragraph(runs: readonly Run[], type: BlockType = 'paragraph', box?: Box): void {
    if (isBlank(runs)) return;
    this.#collectLinks(runs);
    this.#add({ type, ...this.render(runs) }, box);
  }

  /** Items that follow each other become one list. */
  listItem(item: ListItem): void {
    if (isBlank(item.runs)) return;
    this.#count();
    this.#collectLinks(item.runs);
    this.#list.push(item);
  }

  /** Cells in row order; the first row is the header. */
  table(rows: readonly (readonly Rendered[])[], box?: Box): void {
    checkTableSize(
      rows.length,
      rows.reduce((most, row) => Math.max(most, row.length), 0),
    );
    for (const row of rows) {
      this.#budget.spend('cell', row.length);
      this.#budget.spend('character', countCharacters(row));
    }
    const text = rows.map((row) => row.map((cell) => oneLine(cell.text)).join('\t')).join('\n');
    if (text.trim() === '' && !rows.flat().some((cell) => cell.markdown !== '')) return;
    const html = this.#parameters.output_tables_as_HTML;
    const cells = rows.map((row) =>
      row.map((cell) =>
        (html ? cell.text : cell.markdown).replace(/[ \t]{2,}/g, ' ').replaceAll(' \n', '\n'),
      ),
    );
    const markdown = markdownTable(cells, tableOptions(this.#parameters));
    this.#add({ type: 'table', text, markdown }, box);
  }

  code(text: string, language = ''): void {
    const body = text.replace(/\r\n?/g, '\n').trimEnd().replace(/^\n+/, '');
    if (body === '') return;
    let fence = '```';
    while (body.includes(fence)) fence += '`';
    this.#add({ type: 'code', text: body, markdown: `${fence}${language}\n${body}\n${fence}` });
  }

  /** A block whose Markdown is already written; `blankLines` of its text stand above it. */
  block(block: Block, blankLines = 1): void {
    this.#add(block, block.box);
    if (blankLines > 1) this.#blankLines.set(block, Math.min(blankLines, MAX_BLANK_LINES));
  }

  link(link: Link): void {
    this.#current().links.push(link);
  }

  /** A picture inside a line: adds the figure and gives the run that shows it, or undefined. */
  image(bytes: Uint8Array, options: ImageOptions = {}): Run | undefined {
    if (this.#parameters.disable_image_extraction) return undefined;
    const header = imageHeader(bytes);
    if (!header && this.#parameters.strict_mode_image_extraction) {
      const message = 'a picture in the file is damaged or of a kind that is not read';
      throw StrictModeError.because('strict_mode_image_extraction', 'FILE_IS_BROKEN', message);
    }
    const page = this.#current();
    if (!header || this.images.size >= MAX_FIGURES) return undefined;
    const name = this.#store(bytes, header);
    const tiny = header.width < NOISE_PIXELS || header.height < NOISE_PIXELS;
    if (!page.figures.some((figure) => figure.name === name)) {
      const figure: Figure = {
        name,
        pageIndex: page.index,
        mimeType: header.mimeType,
        width: header.width,
        height: header.height,
        byteSize: bytes.length,
        confidence: tiny ? 0.2 : 0.95,
        isLikelyNoise: tiny,
      };
      if (options.box) figure.box = options.box;
      page.figures.push(figure);
    }
    if (tiny) return undefined;
    const alt = (options.alt ?? '').replace(/\s+/g, ' ').replace(/[[\]]/g, '').trim();
    return { text: alt, markdown: `![${alt}](${name})` };
  }

  /** A picture that stands alone. */
  figure(bytes: Uint8Array, options: ImageOptions = {}): void {
    const run = this.image(bytes, options);
    if (run) this.#add({ type: 'figure', text: run.text, markdown: run.markdown ?? '' }, options.box);
  }

  quote(inner: () => void): void {
    this.#endList();
    this.#quoteDepth++;
    inner();
    this.#endList();
    this.#quoteDepth--;
  }

  /** The next block starts a new page; a page that has nothing on it is not kept. */
  pageBreak(): void {
    this.#endList();
    if (this.#page && (this.#page.blocks.length > 0 || this.#page.figures.length > 0)) this.#page = undefined;
  }

  /** Starts a page even if nothing comes on it: a slide, a sheet. */
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
    this.#markRepeatedFigures();
    return { pages: this.#pages, images: this.images };
  }

  #current(): Page {
    return this.#page ?? this.startPage();
  }

  #add(block: Block, box?: Box): void {
    this.#endList();
    if (this.#quoteDepth > 0) {
      const prefix = '> '.repeat(this.#quoteDepth);
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

  #collectLinks(runs: readonly Run[]): void {
    const page = this.#current();
    let last: Link | undefined;
    let lastHref: string | undefined;
    for (const run of runs) {
      if (run.href && run.href === lastHref && last) last.text += run.text;
      else if (run.href) {
        last = { text: run.text, url: run.href };
        page.links.push(last);
      }
      lastHref = run.href;
    }
  }

  /** The same picture used twice is stored once, under one name. */
  #store(bytes: Uint8Array, header: Omit<EncodedImage, 'bytes'>): string {
    let hash = 0x811c9dc5;
    for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    const key = `${bytes.length}:${hash >>> 0}`;
    const known = this.#nameByBytes.get(key);
    if (known) return known;
    const extension = header.mimeType.slice('image/'.length).replace('jpeg', 'jpg');
    const name = `image-${this.images.size + 1}.${extension}`;
    this.images.set(name, { bytes, ...header });
    this.#nameByBytes.set(key, name);
    return name;
  }

  #markRepeatedFigures(): void {
    const uses = new Map<string, number>();
    for (const page of this.#pages) {
      for (const { name } of page.figures) uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    for (const page of this.#pages) {
      for (const figure of page.figures) {
        const count = uses.get(figure.name) ?? 0;
        if (count >= 3 && count * 2 > this.#pages.length) {
          figure.isLikelyNoise = true;
          figure.confidence = 0.3;
        }
      }
    }
  }
}
