import type { BlockType } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '#src/formats/shared/flow/grid.ts';
import {
  collapseSpace,
  HARD_BREAK,
  isBlank,
  type Rendered,
  type Run,
} from '#src/formats/shared/flow/runs.ts';
import { readEquationTable } from '#src/formats/shared/math/equation-tables.ts';
import { toFormulaRun } from '#src/formats/shared/math/formula.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { protectBreaks, splitParagraphs, trimBreaks } from './breaks.ts';
import { containsBlocks, INLINE_STYLES, isInline, SKIPPED, type Style, tableRows } from './element-kinds.ts';
import { hasFormulaScripts, readFormulaPicture, readHtmlFormula } from './formulas.ts';

export interface HtmlContext {
  flow: Flow;
  isExcluded(element: XmlElement): boolean;
  /** Returns the source of an image: a file in the archive, a part of the e-mail, or a data URI. */
  image(address: string): ImageSource;
  /**
   * Resolves a link against the base URL of the document. Returns `undefined` if the link must be removed.
   */
  link?(href: string): string | undefined;
  hideHeaders?: boolean | null | undefined;
  hideFooters?: boolean | null | undefined;
}

export interface ImageSource {
  name: string;
  load(): Uint8Array | undefined;
}

interface Scope {
  style: Style;
  /** Block type of text that is outside any block element. */
  type: BlockType;
  listLevel: number;
  item?: { ordered: boolean; number: number | undefined; isContinued?: boolean } | undefined;
}

/**
 * Converts an HTML tree to blocks. Collapses white space as a browser does, and writes tables that are only
 * used for layout as ordinary text.
 */
export class HtmlConverter {
  readonly #context: HtmlContext;
  readonly #titled = new Map<XmlElement, boolean>();
  #runs: Run[] = [];
  #hasFormulaScripts = false;

  constructor(context: HtmlContext) {
    this.#context = context;
  }

  convert(root: XmlElement): void {
    const scope: Scope = { style: {}, type: 'paragraph', listLevel: -1 };
    this.#hasFormulaScripts = hasFormulaScripts(root);
    this.#children(root, scope);
    this.#flush(scope);
  }

  #children(element: XmlElement, scope: Scope): void {
    for (const node of element.children) this.#node(node, scope);
  }

  #node(node: XmlNode, scope: Scope): void {
    if (typeof node === 'string') {
      if (node !== '') this.#runs.push({ text: node, ...scope.style });
      return;
    }
    if (this.#context.isExcluded(node)) return;
    const formulas = readHtmlFormula(node, this.#hasFormulaScripts);
    for (const formula of formulas ?? [])
      this.#runs.push({ ...toFormulaRun(formula), href: scope.style.href });
    if (formulas || SKIPPED.has(node.name)) return;
    if (node.name === 'br') this.#runs.push({ text: HARD_BREAK, ...scope.style });
    else if (node.name === 'img') this.#image(node);
    else if (isInline(node)) this.#inline(node, scope);
    else this.#block(node, scope);
  }

  #inline(element: XmlElement, scope: Scope): void {
    const style = { ...scope.style, ...getOwn(INLINE_STYLES, element.name) };
    const raised = /(?:^|;)\s*vertical-align\s*:\s*(sub|super)\b/i.exec(element.attributes.style ?? '')?.[1];
    if (raised) style.script = raised.toLowerCase() === 'sub' ? 'sub' : 'super';
    if (element.name === 'a') style.href = this.#href(element.attributes.href) ?? style.href;
    const [before, after] = element.name === 'rt' ? ['(', ')'] : this.#markNested(element, scope, style);
    if (before !== '') this.#runs.push({ text: before, ...style });
    this.#children(element, { ...scope, style });
    if (after !== '') this.#runs.push({ text: after, ...style });
  }

  /**
   * Returns the marks around a subscript or superscript that belongs to another one, as in "x^(a^b)". One run
   * has only one position, so the inner script is written with signs.
   */
  #markNested(element: XmlElement, { style: outer }: Scope, inner: Style): [before: string, after: string] {
    const last = this.#runs.at(-1);
    const isNested = outer.script && /^(?:sub|sup)$/.test(element.name) && last?.script === outer.script;
    if (!isNested || !/\S$/.test(last.text)) return ['', ''];
    const sign = inner.script === 'sub' ? '_' : '^';
    inner.script = outer.script;
    const [only = '', ...others] = element.children;
    const isSingle = others.length === 0 && typeof only === 'string' && /^[\p{L}\p{N}]*$/u.test(only.trim());
    return isSingle ? [sign, ''] : [`${sign}(`, ')'];
  }

  #href(href: string | undefined): string | undefined {
    const trimmed = href?.trim();
    if (!trimmed || trimmed.startsWith('#') || /^(?:javascript|data|vbscript):/i.test(trimmed))
      return undefined;
    return this.#context.link ? this.#context.link(trimmed) : trimmed;
  }

  #image(element: XmlElement): void {
    const formula = readFormulaPicture(element);
    if (formula) {
      this.#runs.push(toFormulaRun(formula));
      return;
    }
    const { src = '', alt = '' } = element.attributes;
    const source = src ? this.#context.image(src) : undefined;
    const { run, missing } = source
      ? this.#context.flow.namedImage(source.name, source.load, { alt })
      : { run: undefined, missing: true };
    if (run) this.#runs.push(run);
    else if (alt.trim() !== '' && missing) this.#runs.push({ text: ` ${alt} ` });
  }

  #block(element: XmlElement, scope: Scope): void {
    const { flow } = this.#context;
    const { name, attributes } = element;
    this.#flush(scope);
    const style = attributes.style ?? '';
    if (/(?:page-break|break)-before\s*:\s*(?:always|page|left|right)/i.test(style)) flow.pageBreak();
    if (/^h[1-6]$/.test(name)) {
      this.#children(element, { ...scope, style: { ...scope.style } });
      flow.heading(Number(name[1]), this.#take());
    } else if (name === 'pre' || name === 'xmp' || name === 'listing') {
      const classes = `${attributes.class ?? ''} ${elements(element, 'code')[0]?.attributes.class ?? ''}`;
      const language = /\blang(?:uage)?-([\w+-]+)/.exec(classes)?.[1];
      flow.code(getTextContent(element), language);
    } else if (name === 'blockquote') {
      flow.quote(() => this.#container(element, { ...scope, item: undefined, listLevel: -1 }));
    } else if (name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir')
      this.#list(element, scope);
    else if (name === 'table') this.#table(element, scope);
    else if (name === 'dt') this.#container(element, { ...scope, style: { ...scope.style, bold: true } });
    else if (name === 'header' || name === 'footer') this.#convertHeaderOrFooter(element, scope, name);
    else this.#container(element, scope);
    if (/(?:page-break|break)-after\s*:\s*(?:always|page|left|right)/i.test(style)) flow.pageBreak();
  }

  #container(element: XmlElement, scope: Scope): void {
    this.#children(element, scope);
    this.#flush(scope);
  }

  #convertHeaderOrFooter(element: XmlElement, scope: Scope, name: 'header' | 'footer'): void {
    const hidden = name === 'header' ? this.#context.hideHeaders : this.#context.hideFooters;
    // A header or footer element that contains the title of the document is treated as ordinary content.
    if (this.#containsTitle(element)) this.#container(element, scope);
    else if (!hidden) this.#container(element, { ...scope, type: name });
  }

  /**
   * Returns whether an element contains a first-level heading. Results are cached, so that each element is
   * visited only once.
   */
  #containsTitle(element: XmlElement): boolean {
    const known = this.#titled.get(element);
    if (known !== undefined) return known;
    const found = elements(element).some((inner) => inner.name === 'h1' || this.#containsTitle(inner));
    this.#titled.set(element, found);
    return found;
  }

  #list(element: XmlElement, scope: Scope): void {
    const ordered = element.name === 'ol';
    const level = scope.listLevel + 1;
    let number = Number(element.attributes.start ?? 1) || 1;
    for (const node of element.children) {
      if (typeof node === 'string') {
        this.#node(node, scope);
        continue;
      }
      if (this.#context.isExcluded(node)) continue;
      if (node.name !== 'li') {
        this.#node(node, { ...scope, listLevel: level });
        continue;
      }
      if (node.attributes.value) number = Number(node.attributes.value) || number;
      const item = { ordered, number: ordered ? number++ : undefined };
      this.#container(node, { ...scope, listLevel: level, item });
    }
  }

  #flush(scope: Scope): void {
    const runs = this.#take();
    if (isBlank(runs)) return;
    const { flow } = this.#context;
    const only = runs.filter((run) => run.markdown !== undefined || run.text.trim() !== '');
    if (scope.item) {
      flow.listItem({ level: scope.listLevel, ...scope.item, runs });
      scope.item.isContinued = true;
    } else if (only.every((run) => run.markdown?.startsWith('![')) && !only.some((run) => run.href)) {
      for (const run of only) flow.block({ type: 'figure', text: run.text, markdown: run.markdown ?? '' });
    } else for (const part of splitParagraphs(runs)) flow.paragraph(part, scope.type);
  }

  #take(): Run[] {
    const runs = collapseSpace(this.#runs);
    this.#runs = [];
    return runs;
  }

  #table(element: XmlElement, scope: Scope): void {
    const caption = elements(element, 'caption')[0];
    if (caption) this.#container(caption, scope);
    const rows = tableRows(element).filter((row) => !this.#context.isExcluded(row));
    const isLayout = ['presentation', 'none'].includes(element.attributes.role ?? '');
    if (isLayout || rows.some((row) => row.children.some(containsBlocks))) {
      this.#flattenTable(rows, scope);
      return;
    }
    const cells = rows.map((row) =>
      elements(row)
        .filter((cell) => (cell.name === 'td' || cell.name === 'th') && !this.#context.isExcluded(cell))
        .map((cell): GridCell & { runs: Run[] } => {
          const runs = this.#cell(cell, scope);
          const { colspan, rowspan } = cell.attributes;
          return {
            ...this.#context.flow.render(runs, false),
            columnSpan: Number(colspan ?? 1),
            rowSpan: Number(rowspan ?? 1),
            runs,
          };
        }),
    );
    const equations = readEquationTable(cells.map((row) => row.map((cell) => cell.runs)));
    if (equations) {
      for (const runs of equations) this.#context.flow.paragraph(runs, scope.type);
      return;
    }
    const grid = layOutGrid(cells);
    const columns = grid[0]?.length ?? 0;
    if (columns > 1 && grid.length > 1) {
      for (const { href, text } of cells.flat().flatMap((cell) => cell.runs)) {
        if (href) this.#context.flow.link({ text: text.trim(), url: href });
      }
      this.#context.flow.table(grid as Rendered[][]);
    } else {
      for (const row of cells) {
        const line = row.flatMap((cell) => (isBlank(cell.runs) ? [] : [...cell.runs, { text: ' ' }]));
        for (const run of line) this.#runs.push(protectBreaks(run));
        this.#flush(scope);
      }
    }
  }

  /** Returns the content of a table cell as one list of runs. Each block inside the cell becomes a line. */
  #cell(cell: XmlElement, scope: Scope): Run[] {
    const outer = this.#runs;
    this.#runs = [];
    const inner: Scope = { ...scope, item: undefined };
    const walk = (element: XmlElement) => {
      for (const node of element.children) {
        const isBlock = typeof node !== 'string' && !isInline(node) && node.name !== 'br';
        if (!isBlock) this.#node(node, inner);
        else if (!SKIPPED.has(node.name) && !this.#context.isExcluded(node)) {
          this.#runs.push({ text: HARD_BREAK });
          walk(node);
          this.#runs.push({ text: HARD_BREAK });
        }
      }
    };
    walk(cell);
    const runs = this.#take();
    this.#runs = outer;
    return trimBreaks(runs);
  }

  #flattenTable(rows: readonly XmlElement[], scope: Scope): void {
    for (const row of rows) {
      for (const cell of elements(row)) {
        if (!this.#context.isExcluded(cell)) this.#container(cell, scope);
      }
    }
  }
}
