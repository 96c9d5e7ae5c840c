import { getOwn } from '#src/lib/get-own.ts';
import { elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { readLetters, readName } from '../letters.ts';
import { localName } from '../local-name.ts';
import { type FenceNode, type MathNode, toRow } from '../nodes.ts';
import { isKnownFunction } from '../symbols.ts';

const INFIX: ReadonlyMap<string, string> = new Map(
  `plus + minus - times ⋅ eq = neq ≠ lt < gt > leq ≤ geq ≥ approx ≈ equivalent ≡ implies ⇒ and ∧ or ∨ xor ⊻ in ∈
  notin ∉ subset ⊆ prsubset ⊂ notsubset ⊈ union ∪ intersect ∩ setdiff ∖ cartesianproduct × tendsto → compose ∘
  vectorproduct × scalarproduct ⋅ outerproduct ⊗ factorof ∣ rem mod`
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, at, all) => {
      if (at % 2 === 0) pairs.push([word, all[at + 1] ?? '']);
      return pairs;
    }, []),
);
const CONSTANTS: Record<string, string> = {
  infinity: '∞',
  pi: 'π',
  exponentiale: 'e',
  imaginaryi: 'i',
  eulergamma: 'γ',
  emptyset: '∅',
  integers: 'ℤ',
  reals: 'ℝ',
  rationals: 'ℚ',
  naturalnumbers: 'ℕ',
  complexes: 'ℂ',
  primes: 'ℙ',
};
const LARGE: Record<string, string> = { sum: '∑', product: '∏', int: '∫' };
const QUANTIFIERS: Record<string, string> = { forall: '∀', exists: '∃' };
const CONTAINERS: Record<string, readonly [open: string, close: string]> = {
  set: ['{', '}'],
  list: ['[', ']'],
  vector: ['(', ')'],
  interval: ['[', ']'],
};
const OTHER = new Set('apply ci cn csymbol bind matrix matrixrow piecewise cerror cs'.split(' '));

const has = (record: Record<string, unknown>, name: string) => Object.hasOwn(record, name);

/** Returns whether a name belongs to content MathML, which describes the meaning instead of the look. */
export const isContentElement = (name: string): boolean =>
  OTHER.has(name) || has(CONSTANTS, name) || has(CONTAINERS, name);

const leaf = (text: string): MathNode => ({ kind: 'leaf', text });
const word = (text: string): MathNode => ({ kind: 'word', text });

const fence = (open: string, close: string, parts: MathNode[]): FenceNode => ({
  ...{ kind: 'fence', open, close },
  ...{ parts, separator: ',' },
});

/** Reads an element of content MathML. Unknown operators are written as functions. */
export function readContent(element: XmlElement): MathNode {
  const name = localName(element);
  if (name === 'apply' || name === 'bind') return readApply(element);
  if (name === 'cn') return readNumber(element);
  const constant = getOwn(CONSTANTS, name);
  if (constant !== undefined) return leaf(constant);
  const brackets = getOwn(CONTAINERS, name);
  if (brackets) return fence(brackets[0], brackets[1], elements(element).map(readContent));
  if (name === 'matrix') return { ...fence('(', ')', [readRows(element)]), separator: '' };
  if (name === 'piecewise') return { ...fence('{', '', [readRows(element)]), separator: '' };
  const inner = elements(element);
  if (inner.length === 0) return toRow(readName(getTextContent(element)));
  return toRow(inner.map(readContent));
}

function readNumber(element: XmlElement): MathNode {
  const parts = getTextContent(element).trim();
  const separator = elements(element).find((part) => localName(part) === 'sep');
  if (!separator) return toRow(readLetters(parts));
  const at = element.children.indexOf(separator);
  const join = (list: XmlElement['children']) => leaf(list.map(getTextContent).join('').trim());
  const [first, second] = [join(element.children.slice(0, at)), join(element.children.slice(at + 1))];
  if (element.attributes.type === 'rational')
    return { kind: 'fraction', over: first, under: second, hasLine: true };
  if (element.attributes.type === 'complex-cartesian') return toRow([first, leaf('+'), second, leaf('i')]);
  const power: MathNode = { kind: 'scripts', base: leaf('10'), sup: second };
  return toRow([first, leaf('×'), power]);
}

function readRows(element: XmlElement): MathNode {
  const rows = elements(element).map((row) => {
    const cells = elements(row).map(readContent);
    if (localName(row) === 'otherwise') cells.push({ kind: 'text', text: 'otherwise' });
    return cells;
  });
  return { kind: 'table', rows, layout: 'matrix' };
}

/** Sets brackets around a sum or difference that is part of a product or power. */
function protect(element: XmlElement | undefined): MathNode {
  if (!element) return toRow([]);
  const node = readContent(element);
  const operator = localName(element) === 'apply' ? elements(element)[0] : undefined;
  const needsBrackets = operator && (INFIX.has(localName(operator)) || localName(operator) === 'power');
  return needsBrackets ? { ...fence('(', ')', [node]), separator: '' } : node;
}

const QUALIFIERS = new Set([
  'bvar',
  'lowlimit',
  'uplimit',
  'interval',
  'degree',
  'logbase',
  'condition',
  'domainofapplication',
]);

function readApply(element: XmlElement): MathNode {
  const [operator, ...rest] = elements(element);
  if (!operator) return toRow([]);
  const name = localName(operator);
  const named = new Map(rest.map((part) => [localName(part), part]));
  const hasVariable = named.has('bvar');
  const args = rest.filter(
    (part) => !QUALIFIERS.has(localName(part)) || (localName(part) === 'interval' && !hasVariable),
  );
  const infix = INFIX.get(name);
  if (infix !== undefined) return readInfix(name, infix, args);
  const qualifier = (key: string) => {
    const found = named.get(key);
    return found && toRow(elements(found).map(readContent));
  };
  const [first, second] = args;
  const sign = getOwn(LARGE, name);
  if (sign !== undefined) return readLarge(sign, qualifier, args);
  const quantifier = getOwn(QUANTIFIERS, name);
  if (quantifier !== undefined)
    return toRow([leaf(quantifier), qualifier('bvar') ?? toRow([]), leaf(':'), ...args.map(readContent)]);
  switch (name) {
    case 'divide':
    case 'quotient':
      return { kind: 'fraction', over: protectNothing(first), under: protectNothing(second), hasLine: true };
    case 'power':
      return { kind: 'scripts', base: protect(first), sup: protectNothing(second) };
    case 'root': {
      const degree = qualifier('degree');
      return { kind: 'root', base: protectNothing(first), degree };
    }
    case 'diff':
    case 'partialdiff':
      return readDerivative(name === 'diff' ? 'd' : '∂', qualifier, first);
    case 'limit':
      return toRow([
        {
          kind: 'scripts',
          base: word('lim'),
          sub: toRow([qualifier('bvar') ?? toRow([]), leaf('→'), qualifier('lowlimit') ?? toRow([])]),
          isStacked: true,
        },
        protectNothing(first),
      ]);
    case 'abs':
      return { ...fence('|', '|', [protectNothing(first)]), separator: '' };
    case 'floor':
      return { ...fence('⌊', '⌋', [protectNothing(first)]), separator: '' };
    case 'ceiling':
      return { ...fence('⌈', '⌉', [protectNothing(first)]), separator: '' };
    case 'factorial':
      return toRow([protect(first), leaf('!')]);
    case 'not':
      return toRow([leaf('¬'), protect(first)]);
    case 'exp':
      return { kind: 'scripts', base: leaf('e'), sup: protectNothing(first) };
    case 'transpose':
      return { kind: 'scripts', base: protect(first), sup: leaf('T') };
    case 'conjugate':
      return { kind: 'accent', base: protectNothing(first), mark: '¯', isBelow: false };
    default:
      return readFunction(operator, name, qualifier('logbase'), args);
  }
}

const protectNothing = (element: XmlElement | undefined): MathNode =>
  element ? readContent(element) : toRow([]);

function readInfix(name: string, sign: string, args: XmlElement[]): MathNode {
  const isProduct = name === 'times' || name === 'minus';
  const items = args.map((arg, at) =>
    isProduct && (name === 'times' || at > 0) ? protectSum(arg) : readContent(arg),
  );
  const operator = sign === 'mod' ? word('mod') : leaf(sign);
  if (items.length === 1) return toRow([operator, items[0]!]);
  return toRow(items.flatMap((item, at) => (at > 0 ? [operator, item] : [item])));
}

function protectSum(element: XmlElement): MathNode {
  const operator = localName(element) === 'apply' ? elements(element)[0] : undefined;
  const isSum = operator && ['plus', 'minus'].includes(localName(operator));
  return isSum ? protect(element) : readContent(element);
}

function readLarge(
  sign: string,
  qualifier: (key: string) => MathNode | undefined,
  args: XmlElement[],
): MathNode {
  const variable = qualifier('bvar');
  const [low, high] = [qualifier('lowlimit'), qualifier('uplimit')];
  const isIntegral = sign === '∫';
  const sub =
    low && variable && !isIntegral ? toRow([variable, leaf('='), low]) : (low ?? qualifier('condition'));
  const items: MathNode[] = [{ kind: 'scripts', base: leaf(sign), sub, sup: high }, ...args.map(readContent)];
  if (isIntegral && variable) items.push({ kind: 'leaf', text: 'd', style: 'upright' }, variable);
  return toRow(items);
}

function readDerivative(
  sign: string,
  qualifier: (key: string) => MathNode | undefined,
  of: XmlElement | undefined,
): MathNode {
  const variable = qualifier('bvar') ?? leaf('x');
  return {
    kind: 'fraction',
    over: toRow([leaf(sign), protectNothing(of)]),
    under: toRow([leaf(sign), variable]),
    hasLine: true,
  };
}

function readFunction(
  operator: XmlElement,
  name: string,
  base: MathNode | undefined,
  args: XmlElement[],
): MathNode {
  const isName = elements(operator).length === 0 && getTextContent(operator).trim() === '';
  const called = isName ? (isKnownFunction(name) ? word(name) : word(name)) : readContent(operator);
  const head: MathNode = base ? { kind: 'scripts', base: called, sub: base } : called;
  return toRow([head, fence('(', ')', args.map(readContent))]);
}
