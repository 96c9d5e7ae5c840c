import { elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

/** Returns a name without its namespace prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

export const collapseWhiteSpace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Returns the text of a node on one line, or '' if the node is absent. */
export const readLine = (node: XmlNode | undefined): string => collapseWhiteSpace(getTextContent(node));

/** Returns whether a node has no text. Stops at the first text. */
export function isBlankNode(node: XmlNode | undefined): boolean {
  if (node === undefined) return true;
  return typeof node === 'string' ? node.trim() === '' : node.children.every(isBlankNode);
}

/**
 * Returns the start of the text of a node on one line: about `length` characters. Nodes that may be inside each
 * other are read with this function, so that their texts are not read many times.
 */
export function readStart(node: XmlNode | undefined, length: number): string {
  let text = '';
  const add = (part: XmlNode): boolean => {
    if (typeof part !== 'string') return part.children.every(add);
    text += part.slice(0, length);
    return text.length < length;
  };
  if (node !== undefined) add(node);
  return collapseWhiteSpace(text);
}

export function make(name: string, children: XmlNode[], attributes: Record<string, string> = {}): XmlElement {
  return { name, attributes, children };
}

/** Returns the child elements whose names without prefix are among `names`. */
export const childrenNamed = (parent: XmlElement | undefined, ...names: string[]): XmlElement[] =>
  elements(parent).filter(({ name }) => names.includes(localName(name)));

/** Returns the element at the end of a path of names without prefixes, or `undefined` if there is none. */
export function findChild(parent: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let element = parent;
  for (const step of path) element = elements(element).find(({ name }) => localName(name) === step);
  return element;
}

/**
 * Returns the descendants whose names without prefix are among `names`, in document order. Elements inside a
 * match are not searched.
 */
export function findAll(parent: XmlElement | undefined, ...names: string[]): XmlElement[] {
  const wanted = new Set(names);
  const found: XmlElement[] = [];
  const visit = (element: XmlElement) => {
    for (const inner of elements(element)) {
      if (wanted.has(localName(inner.name))) found.push(inner);
      else visit(inner);
    }
  };
  if (parent) visit(parent);
  return found;
}

export const hasText = (element: XmlElement): boolean =>
  element.children.some((node) => typeof node === 'string' && node.trim() !== '');

/** Returns the lists of nodes as one list, with `separator` between those that are not empty. */
export function joinNodes(lists: readonly XmlNode[][], separator: string): XmlNode[] {
  const filled = lists.filter((nodes) => nodes.some((node) => !isBlankNode(node)));
  return filled.flatMap((nodes, index) => (index === 0 ? nodes : [separator, ...nodes]));
}

/** Builds a paragraph `label: value` with a bold label. Returns an empty list if the value is blank. */
export function makeField(label: string, value: string): XmlNode[] {
  if (value.trim() === '') return [];
  return [make('p', [make('b', [`${label}:`]), ` ${value}`])];
}

/** Builds a list with one item for each text that is not blank. Returns an empty list if all are blank. */
export function makeList(items: readonly (readonly XmlNode[])[], name: 'ul' | 'ol' = 'ul'): XmlNode[] {
  const filled = items.filter((nodes) => nodes.some((node) => !isBlankNode(node)));
  return filled.length === 0
    ? []
    : [
        make(
          name,
          filled.map((nodes) => make('li', [...nodes])),
        ),
      ];
}

/** Builds a table of plain texts whose first row is the header. */
export const makeTable = (rows: readonly (readonly string[])[]): XmlElement =>
  make(
    'table',
    rows.map((row, index) =>
      make(
        'tr',
        row.map((cell) => make(index === 0 ? 'th' : 'td', [cell])),
      ),
    ),
  );
