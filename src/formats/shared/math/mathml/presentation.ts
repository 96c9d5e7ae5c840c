import { getOwn } from '#src/lib/get-own.ts';
import { elements, getTextContent, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAccent } from '../accents.ts';
import { pairFences } from '../fences.ts';
import { readLetters, readName } from '../letters.ts';
import { localName } from '../local-name.ts';
import { type MathNode, type MathStyle, toRow } from '../nodes.ts';
import { isContentElement, readContent } from './content.ts';
import { readTable } from './table.ts';

/** Reads child elements of a MathML element in its typeface. */
export interface Scope {
  style: MathStyle | undefined;
  depth: number;
}

const VARIANTS: Record<string, MathStyle> = {
  normal: 'upright',
  bold: 'bold',
  'bold-italic': 'bold-italic',
  'double-struck': 'double-struck',
  script: 'script',
  'bold-script': 'script',
  fraktur: 'fraktur',
  'bold-fraktur': 'fraktur',
  'sans-serif': 'sans-serif',
  'bold-sans-serif': 'sans-serif',
  'sans-serif-italic': 'sans-serif',
  monospace: 'monospace',
};

function enter(element: XmlElement, scope: Scope): Scope {
  const { mathvariant = '', fontweight } = element.attributes;
  const style = getOwn(VARIANTS, mathvariant) ?? (fontweight === 'bold' ? 'bold' : scope.style);
  return { style, depth: scope.depth + 1 };
}

const EMPTY: MathNode = { kind: 'row', items: [] };

/** Reads the content of a MathML element, such as `math` or `mrow`, as one node. */
export function readPresentation(element: XmlElement): MathNode {
  return readRow(element, { style: undefined, depth: 0 });
}

export function readRow(parent: XmlElement, scope: Scope): MathNode {
  const items = parent.children.flatMap((node) => readNode(node, scope));
  return toRow(pairFences(items, scope.depth));
}

function readNode(node: XmlNode, scope: Scope): MathNode[] {
  if (typeof node === 'string') return node.trim() === '' ? [] : readLetters(node.trim(), scope.style);
  const read = readElement(node, enter(node, scope));
  // An element that only groups its content disappears, so that its brackets can be paired with others.
  return read.kind === 'row' ? read.items : [read];
}

function readLeaf(name: string, element: XmlElement, scope: Scope): MathNode | undefined {
  const text = getTextContent(element);
  switch (name) {
    case 'mi':
      return toRow(readName(text, scope.style));
    case 'mn':
      return { kind: 'leaf', text: text.trim().replace(/\s+/g, ''), style: scope.style };
    case 'mo':
      return readOperator(text.trim(), element);
    case 'mtext':
      return text.trim() === '' ? { kind: 'space' } : { kind: 'text', text };
    case 'ms':
      return { kind: 'text', text: `"${text}"` };
    case 'mspace':
      if (element.attributes.linebreak === 'newline') return { kind: 'break' };
      return Number.parseFloat(element.attributes.width ?? '0') > 0.2 ? { kind: 'space' } : EMPTY;
    case 'mglyph':
      return { kind: 'text', text: element.attributes.alt ?? '' };
    default:
      return undefined;
  }
}

function readOperator(text: string, element: XmlElement): MathNode {
  if (element.attributes.linebreak === 'newline') return { kind: 'break' };
  if (/^\p{L}{2,}$/u.test(text)) return { kind: 'word', text };
  return toRow(readLetters(text));
}

/** Returns the operands of a layout element, without the empty placeholders of annotations. */
const operands = (element: XmlElement, scope: Scope): MathNode[] =>
  elements(element).map((part) => readElement(part, enter(part, scope)));

export function readElement(element: XmlElement, scope: Scope): MathNode {
  const name = localName(element);
  const leaf = readLeaf(name, element, scope);
  if (leaf) return leaf;
  switch (name) {
    case 'mfrac':
    case 'msqrt':
    case 'mroot':
    case 'menclose':
    case 'mphantom':
    case 'mfenced':
      return readLayout(name, element, scope);
    case 'msub':
    case 'msup':
    case 'msubsup':
    case 'munder':
    case 'mover':
    case 'munderover':
      return readScripts(name, operands(element, scope));
    case 'mmultiscripts':
      return readMultiscripts(element, scope);
    case 'mtable':
      return readTable(element, (cell) => readRow(cell, scope));
    case 'semantics':
      return readSemantics(element, scope);
    case 'maction':
      return operands(element, scope)[0] ?? EMPTY;
    case 'annotation':
    case 'annotation-xml':
    case 'none':
    case 'mprescripts':
    case 'maligngroup':
    case 'malignmark':
      return EMPTY;
    default:
      return isContentElement(name) ? readContent(element) : readRow(element, scope);
  }
}

function readSemantics(element: XmlElement, scope: Scope): MathNode {
  const [first] = elements(element);
  const presentation = elements(element).find(
    (part) => localName(part) === 'annotation-xml' && /presentation/i.test(part.attributes.encoding ?? ''),
  );
  if (first && presentation && isContentElement(localName(first))) return readRow(presentation, scope);
  return first ? readElement(first, enter(first, scope)) : EMPTY;
}

function readLayout(name: string, element: XmlElement, scope: Scope): MathNode {
  const { attributes } = element;
  switch (name) {
    case 'mfrac': {
      const [over = EMPTY, under = EMPTY] = operands(element, scope);
      return { kind: 'fraction', over, under, hasLine: !/^0(?:\D|$)/.test(attributes.linethickness ?? '1') };
    }
    case 'mroot': {
      const [base = EMPTY, degree] = operands(element, scope);
      return { kind: 'root', base, degree };
    }
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = attributes;
      return {
        kind: 'fence',
        open,
        close,
        parts: operands(element, scope),
        separator: separators.trim().slice(0, 1),
      };
    }
    case 'mphantom':
      return { kind: 'phantom', base: readRow(element, scope) };
    case 'menclose':
      return readEnclosure(attributes.notation ?? '', readRow(element, scope));
    default:
      return { kind: 'root', base: readRow(element, scope) };
  }
}

function readEnclosure(notation: string, base: MathNode): MathNode {
  const kinds = notation.trim().split(/\s+/);
  if (kinds.includes('radical')) return { kind: 'root', base };
  if (kinds.some((kind) => /box|circle/.test(kind))) return { kind: 'box', base };
  if (kinds.includes('top')) return { kind: 'accent', base, mark: '¯', isBelow: false };
  return kinds.includes('bottom') ? { kind: 'accent', base, mark: '_', isBelow: true } : base;
}

const findMark = (node: MathNode | undefined) => (node?.kind === 'leaf' ? node.text.trim() : '');

function readScripts(name: string, [base = EMPTY, first, second]: MathNode[]): MathNode {
  if (name === 'msub') return { kind: 'scripts', base, sub: first };
  if (name === 'msup') return { kind: 'scripts', base, sup: first };
  if (name === 'msubsup') return { kind: 'scripts', base, sub: first, sup: second };
  const below = name === 'mover' ? undefined : first;
  const above = name === 'mover' ? first : second;
  let node = base;
  let sub = below;
  let sup = above;
  if (findAccent(findMark(below), true)) {
    node = { kind: 'accent', base: node, mark: findMark(below), isBelow: true };
    sub = undefined;
  }
  if (findAccent(findMark(above), false)) {
    node = { kind: 'accent', base: node, mark: findMark(above), isBelow: false };
    sup = undefined;
  }
  return sub || sup ? { kind: 'scripts', base: node, sub, sup, isStacked: true } : node;
}

function readMultiscripts(element: XmlElement, scope: Scope): MathNode {
  const parts = elements(element);
  const [base, ...scripts] = parts;
  if (!base) return EMPTY;
  const split = scripts.findIndex((part) => localName(part) === 'mprescripts');
  const after = split < 0 ? scripts : scripts.slice(0, split);
  const before = split < 0 ? [] : scripts.slice(split + 1);
  const read = (list: XmlElement[], parity: number): MathNode | undefined => {
    const found = list.filter((part, at) => at % 2 === parity && localName(part) !== 'none');
    return found.length === 0 ? undefined : toRow(found.map((part) => readElement(part, enter(part, scope))));
  };
  const node = readElement(base, enter(base, scope));
  const [sub, sup] = [read(after, 0), read(after, 1)];
  const inner: MathNode = sub || sup ? { kind: 'scripts', base: node, sub, sup } : node;
  const [preSub, preSup] = [read(before, 0), read(before, 1)];
  if (!preSub && !preSup) return inner;
  return { kind: 'scripts', base: inner, sub: preSub, sup: preSup, isBefore: true };
}
