import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import { isOn, type Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
import { toFormulaRun } from '#src/formats/shared/math/formula.ts';
import { readOmml } from '#src/formats/shared/math/omml/index.ts';
import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { collectDrawing } from './drawings.ts';
import { type ParagraphStyle, readFontSize, readScript, readShift } from './styles.ts';
import { readFormField, readSymbol } from './symbols.ts';

export interface InlineContext {
  relationships: Map<string, Relationship>;
  removeHidden: boolean;
  styles(id: string | undefined): ParagraphStyle;
  image(relationshipId: string, alt: string): Run | undefined;
  /**
   * Called for each text box inside a paragraph. The content of the text box is written after the paragraph.
   */
  textBox(content: XmlElement): void;
  /** Called for each drawing, whose charts and diagrams are written after the paragraph. */
  drawing(node: XmlElement): void;
  /** Called for each reference to a comment. The comment is written after the paragraph. */
  comment(id: string): void;
  /** Called for each passage whose deletion was recorded as a change. */
  deletion(): void;
  /** Returns the mark of the footnote or endnote with this id, or '' if the note does not exist. */
  note(kind: 'footnote' | 'endnote', id: string): string;
}

export const PAGE_BREAK = '\f';
/** Font size of documents that set none, in half points. */
const DEFAULT_SIZE = 20;

type Style = Omit<Run, 'text' | 'markdown'>;

const CONTAINERS = new Set([
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:sdt',
  'w:sdtContent',
  'w:fldSimple',
  'w:customXml',
  'w:dir',
  'w:bdo',
  'w:ruby',
  'w:rubyBase',
]);

/** Passages that are not in the text anymore once the changes of the document are accepted. */
const DELETIONS = new Set(['w:del', 'w:moveFrom']);

/**
 * Converts the content of a paragraph to runs, which are pieces of text with one style. Tracks fields that
 * span several runs.
 */
export class InlineReader {
  readonly #context: InlineContext;
  /**
   * Open fields, such as links, from the outermost to the innermost. The code of a field is hidden, and only
   * its result is written.
   */
  readonly #fields: { inResult: boolean; code: string; href?: string | undefined }[] = [];

  /** Font size of the largest text of the paragraph, in half points. */
  #lineSize = DEFAULT_SIZE;

  constructor(context: InlineContext) {
    this.#context = context;
  }

  read(parent: XmlElement): Run[] {
    const runs: Run[] = [];
    this.#lineSize = this.#measureLine(parent);
    this.#read(parent, {}, runs);
    return runs;
  }

  #measureLine(paragraph: XmlElement): number {
    const named = child(paragraph, 'w:pPr', 'w:pStyle')?.attributes['w:val'];
    const usual = this.#context.styles(named).size ?? DEFAULT_SIZE;
    let largest = 0;
    for (const run of elements(paragraph, 'w:r')) {
      const size = readFontSize(child(run, 'w:rPr')) ?? usual;
      if (size > largest) largest = size;
    }
    return largest || usual;
  }

  #read(parent: XmlElement, style: Style, runs: Run[]): void {
    for (const node of parent.children) {
      if (typeof node === 'string') continue;
      if (node.name === 'w:r') this.#run(node, style, runs);
      else if (node.name === 'w:hyperlink') this.#read(node, { ...style, href: this.#href(node) }, runs);
      else if (CONTAINERS.has(node.name)) this.#read(node, style, runs);
      else if (DELETIONS.has(node.name)) this.#skipDeletion(node);
      else if (node.name === 'mc:AlternateContent') this.#alternate(node, style, runs);
      else if (node.name === 'm:oMath' || node.name === 'm:oMathPara') {
        for (const formula of readOmml(node)) runs.push(toFormulaRun(formula));
      }
    }
  }

  /** Fields may begin in a deleted passage and end behind it, so the marks of fields are read. */
  #skipDeletion(node: XmlElement): void {
    if (node.name === 'w:del' && descendants(node, 'w:delText').length > 0) this.#context.deletion();
    for (const mark of descendants(node, 'w:fldChar')) this.#fieldMark(mark);
  }

  #href(node: XmlElement): string | undefined {
    const target = this.#context.relationships.get(node.attributes['r:id'] ?? '')?.target;
    const anchor = node.attributes['w:anchor'];
    return target === undefined ? undefined : anchor ? `${target}#${anchor}` : target;
  }

  #alternate(node: XmlElement, style: Style, runs: Run[]): void {
    const branch = pickAlternative(node);
    if (branch) this.#content(branch, style, runs);
  }

  #run(run: XmlElement, outer: Style, runs: Run[]): void {
    const properties = child(run, 'w:rPr');
    if (this.#context.removeHidden && isOn(child(properties, 'w:vanish'))) return;
    const style: Style = { ...outer };
    if (isOn(child(properties, 'w:b'))) style.bold = true;
    if (isOn(child(properties, 'w:i'))) style.italic = true;
    if (isOn(child(properties, 'w:strike')) || isOn(child(properties, 'w:dstrike'))) style.strike = true;
    const named = child(properties, 'w:rStyle')?.attributes['w:val'];
    const script =
      readScript(properties) ??
      readShift(properties, this.#lineSize) ??
      (named === undefined ? undefined : this.#context.styles(named).script);
    if (script && script !== 'none') style.script = script;
    this.#content(run, style, runs);
  }

  #content(parent: XmlElement, style: Style, runs: Run[]): void {
    for (const node of parent.children) {
      if (typeof node === 'string') continue;
      const field = this.#fields[this.#fields.length - 1];
      if (node.name === 'w:fldChar') {
        const text = readFormField(node);
        if (text !== '') runs.push({ text, ...style });
        this.#fieldMark(node);
      } else if (node.name === 'w:instrText') {
        if (field && !field.inResult) field.code += getTextContent(node);
      } else if (!field || field.inResult) {
        const href = this.#fields.findLast((one) => one.href)?.href;
        this.#leaf(node, href ? { ...style, href } : style, runs);
      }
    }
  }

  #fieldMark(node: XmlElement): void {
    const type = node.attributes['w:fldCharType'];
    const field = this.#fields[this.#fields.length - 1];
    if (type === 'begin' && this.#fields.length < 32) this.#fields.push({ inResult: false, code: '' });
    else if (type === 'end') this.#fields.pop();
    else if (type === 'separate' && field) {
      field.inResult = true;
      field.href = /^\s*HYPERLINK\s+"([^"]+)"/.exec(field.code)?.[1];
    }
  }

  #leaf(node: XmlElement, style: Style, runs: Run[]): void {
    switch (node.name) {
      case 'w:t':
        runs.push({ text: getTextContent(node), ...style });
        break;
      case 'w:tab':
      case 'w:ptab':
        runs.push({ text: '\t', ...style });
        break;
      case 'w:cr':
        runs.push({ text: '\n' });
        break;
      case 'w:br':
        if (node.attributes['w:type'] === 'page') runs.push({ text: PAGE_BREAK });
        else runs.push({ text: '\n', ...style });
        break;
      case 'w:noBreakHyphen':
        runs.push({ text: '-', ...style });
        break;
      case 'w:sym': {
        const text = readSymbol(node);
        if (text !== '') runs.push({ text, ...style });
        break;
      }
      case 'w:commentReference':
        this.#context.comment(node.attributes['w:id'] ?? '');
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference': {
        const kind = node.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
        const mark = this.#context.note(kind, node.attributes['w:id'] ?? '');
        if (mark) runs.push({ text: '', markdown: `[^${mark}]` });
        break;
      }
      case 'mc:AlternateContent':
        this.#alternate(node, style, runs);
        break;
      case 'w:ruby':
        this.#read(node, style, runs);
        break;
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        this.#drawing(node, runs);
        break;
    }
  }

  #drawing(node: XmlElement, runs: Run[]): void {
    const { textBoxes, pictures, wordArt } = collectDrawing(node);
    for (const content of textBoxes) this.#context.textBox(content);
    this.#context.drawing(node);
    for (const text of wordArt) runs.push({ text });
    const described = descendants(node, 'wp:docPr')[0]?.attributes;
    const alt = described?.descr ?? described?.title ?? '';
    for (const id of pictures) {
      const run = this.#context.image(id, alt);
      if (run) runs.push(run);
    }
  }
}
