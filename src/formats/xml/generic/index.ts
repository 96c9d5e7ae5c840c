import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import {
  collapseWhiteSpace,
  hasText,
  isBlankNode,
  localName,
  make,
  makeTable,
  readLine,
} from '../tree/build.ts';
import type { VocabularyResult } from '../vocabularies/define.ts';
import { findTitle, isParagraph, Prose } from './prose.ts';
import { listAttributes, readRecords } from './records.ts';

/** Label of an element in an outline: its name in bold, and its attributes. */
function writeLabel(element: XmlElement): { nodes: XmlNode[]; hasAttributes: boolean } {
  const attributes = listAttributes(element).map(([name, value]) => `${localName(name)}=${value}`);
  const label = make('b', [localName(element.name)]);
  return attributes.length === 0
    ? { nodes: [label], hasAttributes: false }
    : { nodes: [label, ` (${attributes.join(', ')})`], hasAttributes: true };
}

/** Writes fields as a list. Returns `undefined` for elements without any content. */
function writeOutline(element: XmlElement): XmlElement | undefined {
  const { nodes, hasAttributes } = writeLabel(element);
  const inner = elements(element);
  const isText = inner.length === 0 || hasText(element);
  const text = isText ? readLine(element) : '';
  if (text === '' && !hasAttributes && inner.length === 0) return undefined;
  if (text !== '') return make('li', [...nodes, `: ${text}`]);
  const items = isText ? [] : writeOutlines(inner);
  return make('li', items.length > 0 ? [...nodes, make('ul', items)] : nodes);
}

const writeOutlines = (parts: readonly XmlElement[]): XmlElement[] =>
  parts.map(writeOutline).filter((item) => item !== undefined);

/** Writes the attributes of a section as a list, without ids and languages. */
function writeAttributes(element: XmlElement): XmlNode[] {
  const attributes = listAttributes(element).filter(([name]) => !/^(?:xml:)?(?:id|lang|space)$/.test(name));
  const items = attributes.map(([name, value]) => make('li', [make('b', [localName(name)]), `: ${value}`]));
  return items.length > 0 ? [make('ul', items)] : [];
}

const paragraph = (element: XmlElement): XmlElement => make('p', [collapseWhiteSpace(readLine(element))]);

/** Writes a document or a part of one, in which sections contain text. */
class DocumentWriter {
  readonly #prose: Prose;

  constructor(prose: Prose) {
    this.#prose = prose;
  }

  /** Writes the children of an element: texts as paragraphs, records as tables and other fields as lists. */
  children(parent: XmlElement, level: number, omit?: XmlElement): XmlNode[] {
    const nodes: XmlNode[] = [];
    let fields: XmlElement[] = [];
    const endFields = () => {
      const items = writeOutlines(fields);
      if (items.length > 0) nodes.push(make('ul', items));
      fields = [];
    };
    for (const element of elements(parent)) {
      if (element === omit) continue;
      const written = this.#block(element, level);
      if (written === undefined) fields.push(element);
      else {
        endFields();
        nodes.push(written);
      }
    }
    endFields();
    return nodes;
  }

  /** Writes an element that is no field. Returns `undefined` for fields. */
  #block(element: XmlElement, level: number): XmlElement | undefined {
    if (isParagraph(element)) return isBlankNode(element) ? undefined : paragraph(element);
    const records = readRecords(element);
    if (records) {
      const label = make('p', writeLabel(element).nodes);
      return make('div', [label, makeTable(records)]);
    }
    if (!this.#prose.has(element)) return undefined;
    const title = findTitle(element);
    const heading = title ? [make(`h${Math.min(6, level)}`, [readLine(title)])] : [];
    const content = this.children(element, title ? level + 1 : level, title);
    return make('div', [...heading, ...writeAttributes(element), ...content]);
  }
}

/**
 * Reads XML of an unknown vocabulary by its structure. Repeated flat elements become a table, sections with a
 * title become headings, texts become paragraphs, and other content becomes a list of fields.
 */
export function readGeneric(root: XmlElement): VocabularyResult {
  const prose = new Prose(root);
  const title = prose.has(root) ? findTitle(root) : undefined;
  const heading = make('h1', [title ? readLine(title) : localName(root.name)]);
  const start = [heading, ...writeAttributes(root)];
  const records = readRecords(root);
  if (records) return { nodes: [...start, makeTable(records)] };
  if (elements(root).length === 0 || hasText(root)) return { nodes: [...start, paragraph(root)] };
  const content = new DocumentWriter(prose).children(root, 2, title);
  return { nodes: [...start, ...content], ...(title && { metadata: { title: readLine(title) } }) };
}
