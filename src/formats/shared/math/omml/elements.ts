import { elements, type XmlElement } from '#src/text-formats/xml.ts';
import { pairFences } from '../fences.ts';
import { localName } from '../local-name.ts';
import { isSign, type MathNode, toRow } from '../nodes.ts';
import { readEquationNumber } from '../numbers.ts';
import { resolveLinearScripts } from './linear.ts';
import { readRun } from './run.ts';

const part = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  elements(element).find((one) => localName(one) === name);

const value = (element: XmlElement | undefined): string | undefined =>
  element && (element.attributes['m:val'] ?? element.attributes.val ?? element.attributes['w:val']);

/** Returns the value of a property of an object, such as `m:chr` in `m:naryPr`. */
const property = (element: XmlElement, name: string): string | undefined => {
  const properties = elements(element).find((one) => localName(one).endsWith('Pr'));
  const found = part(properties, name);
  return found && (value(found) ?? '');
};

const isOn = (setting: string | undefined) =>
  setting !== undefined && !['0', 'off', 'false'].includes(setting);

/** Reads the content of an element as a row. `depth` is the number of elements around it. */
export function readContent(parent: XmlElement | undefined, depth: number): MathNode {
  const items = elements(parent).flatMap((element) => readElement(element, depth + 1));
  return toRow(pairFences(resolveLinearScripts(items), depth));
}

/** Elements that only group their content, such as tracked insertions. */
const GROUPS = new Set([
  ...['oMath', 'e', 'ins', 'moveTo', 'sdt', 'sdtContent', 'smartTag', 'customXml', 'hyperlink', 'fldSimple'],
  ...['box', 'num', 'den'],
]);

function readElement(element: XmlElement, depth: number): MathNode[] {
  const name = localName(element);
  if (name === 'r') return readRun(element);
  if (GROUPS.has(name)) return elements(element).flatMap((inner) => readElement(inner, depth + 1));
  const inner = (child: string) => readContent(part(element, child), depth);
  const script = (child: string) => (part(element, child) ? inner(child) : undefined);
  switch (name) {
    case 'f':
      return [readFraction(element, inner('num'), inner('den'))];
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return [{ kind: 'scripts', base: inner('e'), sub: script('sub'), sup: script('sup') }];
    case 'sPre':
      return [{ kind: 'scripts', base: inner('e'), sub: script('sub'), sup: script('sup'), isBefore: true }];
    case 'rad':
      return [
        {
          kind: 'root',
          base: inner('e'),
          degree: isOn(property(element, 'degHide')) ? undefined : script('deg'),
        },
      ];
    case 'nary':
      return readNary(element, depth);
    case 'd':
      return [readDelimiters(element, depth)];
    case 'eqArr':
      return [readEquations(element, depth)];
    case 'm':
      return [readMatrix(element, depth)];
    case 'func':
      return [inner('fName'), ...readArgument(inner('e'))];
    case 'acc':
      return [{ kind: 'accent', base: inner('e'), mark: property(element, 'chr') || '̂', isBelow: false }];
    case 'bar': {
      const isBelow = property(element, 'pos') !== 'top';
      return [{ kind: 'accent', base: inner('e'), mark: isBelow ? '_' : '¯', isBelow }];
    }
    case 'groupChr':
      return [readGroupCharacter(element, inner('e'))];
    case 'limLow':
      return [{ kind: 'scripts', base: inner('e'), sub: inner('lim'), isStacked: true }];
    case 'limUpp':
      return [{ kind: 'scripts', base: inner('e'), sup: inner('lim'), isStacked: true }];
    case 'borderBox':
      return [readBorderBox(element, inner('e'))];
    case 'phant':
      return isOn(property(element, 'show') ?? '1') ? [inner('e')] : [{ kind: 'phantom', base: inner('e') }];
    case 'oMathPara':
      return elements(element).flatMap((one) => readElement(one, depth + 1));
    default:
      return [];
  }
}

/** Leaves the items of an argument in the row, so that a space separates them from the function name. */
const readArgument = (node: MathNode): MathNode[] => (node.kind === 'row' ? node.items : [node]);

function readFraction(element: XmlElement, over: MathNode, under: MathNode): MathNode {
  const type = property(element, 'type');
  if (type === 'lin') return toRow([over, { kind: 'leaf', text: '/' }, under]);
  return { kind: 'fraction', over, under, hasLine: type !== 'noBar' };
}

function readNary(element: XmlElement, depth: number): MathNode[] {
  const script = (name: string) =>
    isOn(property(element, `${name}Hide`)) || !part(element, name)
      ? undefined
      : readContent(part(element, name), depth);
  const [sub, sup] = [script('sub'), script('sup')];
  const sign = property(element, 'chr') || '∫';
  const base: MathNode = { kind: 'leaf', text: sign };
  const operator: MathNode = sub || sup ? { kind: 'scripts', base, sub, sup, isStacked: true } : base;
  return [operator, ...readArgument(readContent(part(element, 'e'), depth))];
}

function readDelimiters(element: XmlElement, depth: number): MathNode {
  const parts = elements(element)
    .filter((one) => localName(one) === 'e')
    .map((one) => readContent(one, depth));
  const open = property(element, 'begChr') ?? '(';
  const close = property(element, 'endChr') ?? ')';
  return {
    kind: 'fence',
    open,
    close,
    parts,
    separator: parts.length > 1 ? (property(element, 'sepChr') ?? '|') : '',
  };
}

/** Splits an equation at its alignment marks, and takes off the number that follows a number sign. */
function splitEquation(items: readonly MathNode[]): { cells: MathNode[]; tag: string | undefined } {
  const at = items.findLastIndex((item) => isSign(item, '#'));
  const after = at < 0 ? [] : items.slice(at + 1);
  const tag = at < 0 ? undefined : readEquationNumber(after);
  const cells: MathNode[][] = [[]];
  for (const item of tag === undefined ? items : items.slice(0, at)) {
    if (isSign(item, '&')) cells.push([]);
    else cells.at(-1)!.push(item);
  }
  return { cells: cells.map(toRow), tag };
}

function readEquations(element: XmlElement, depth: number): MathNode {
  const tags: (string | undefined)[] = [];
  const rows = elements(element)
    .filter((one) => localName(one) === 'e')
    .map((one, at) => {
      const row = readContent(one, depth);
      const { cells, tag } = splitEquation(row.kind === 'row' ? row.items : [row]);
      tags[at] = tag;
      return cells;
    });
  return { kind: 'table', rows, layout: 'equations', tags };
}

function readMatrix(element: XmlElement, depth: number): MathNode {
  const rows = elements(element)
    .filter((row) => localName(row) === 'mr')
    .map((row) =>
      elements(row)
        .filter((cell) => localName(cell) === 'e')
        .map((cell) => readContent(cell, depth)),
    );
  return { kind: 'table', rows, layout: 'matrix' };
}

function readGroupCharacter(element: XmlElement, base: MathNode): MathNode {
  const isBelow = property(element, 'pos') !== 'top';
  return { kind: 'accent', base, mark: property(element, 'chr') || '⏟', isBelow };
}

/** Reads a box. A box without some of its sides is only a line, which is not drawn. */
function readBorderBox(element: XmlElement, base: MathNode): MathNode {
  const sides = ['hideTop', 'hideBot', 'hideLeft', 'hideRight'].filter((side) =>
    isOn(property(element, side)),
  );
  return sides.length === 0 ? { kind: 'box', base } : base;
}
