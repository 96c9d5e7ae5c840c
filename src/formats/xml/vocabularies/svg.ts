import { elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { collapseWhiteSpace, findChild, localName, make, readLine } from '../tree/build.ts';
import type { Vocabulary } from './define.ts';

const SKIPPED = new Set(['style', 'script', 'metadata', 'sodipodi:namedview']);
/** Attributes that move the text position, so that the text before and after is not one word. */
const POSITIONS = ['x', 'y', 'dx', 'dy'];

/** Returns the text of a text element. Parts at positions of their own are separated by spaces. */
function readText(node: XmlNode): string {
  if (typeof node === 'string') return node;
  const isMoved = POSITIONS.some((name) => name in node.attributes);
  const text = node.children.map(readText).join('');
  return isMoved ? ` ${text} ` : text;
}

/** Returns embedded HTML without namespace prefixes. */
function keepHtml(node: XmlNode): XmlNode {
  if (typeof node === 'string') return node;
  return make(localName(node.name), node.children.map(keepHtml));
}

function collect(element: XmlElement, nodes: XmlNode[]): void {
  for (const part of elements(element)) {
    const name = localName(part.name);
    if (SKIPPED.has(name) || SKIPPED.has(part.name)) continue;
    if (name === 'text' || name === 'flowRoot') nodes.push(make('p', [collapseWhiteSpace(readText(part))]));
    else if (name === 'title' || name === 'desc') nodes.push(make('p', [readLine(part)]));
    else if (name === 'foreignObject') nodes.push(make('div', part.children.map(keepHtml)));
    else collect(part, nodes);
  }
}

/** Drawings in SVG: title, description and all texts in the order of the file. */
export const svg: Vocabulary = {
  name: 'SVG',
  matches: ({ local, namespace }) => local === 'svg' && /^$|svg/i.test(namespace),
  read(root) {
    const titleElement = findChild(root, 'title');
    const title = collapseWhiteSpace(getTextContent(titleElement));
    const nodes: XmlNode[] = title === '' ? [] : [make('h1', [title])];
    collect({ ...root, children: root.children.filter((node) => node !== titleElement) }, nodes);
    return { nodes, metadata: title === '' ? {} : { title } };
  },
};
