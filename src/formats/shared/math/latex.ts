import { findAccent, isLabelled } from './accents.ts';
import { splitStyle, wrapStyle } from './alphabets.ts';
import { Line } from './line.ts';
import { type AccentNode, type FenceNode, isEmptyNode, type MathNode, type ScriptsNode } from './nodes.ts';
import {
  isBinary,
  isLargeOperator,
  isLimitFunction,
  isRelation,
  writeCharacter,
  writeFunction,
  writeText,
} from './symbols.ts';
import { writeTable } from './tables.ts';

const ENDS_WITH_COMMAND = /\\[A-Za-z]{1,30}$/;

/** Adds LaTeX code. A space separates a command from a letter, which would otherwise become its name. */
function append(line: Line, piece: string): void {
  if (/^[A-Za-z]/.test(piece) && ENDS_WITH_COMMAND.test(line.tail)) line.add(' ');
  line.add(piece);
}

function joinCode(pieces: readonly string[]): string {
  const line = new Line();
  for (const piece of pieces) append(line, piece);
  return line.toString();
}

/** Writes the letters of a leaf. Neighbouring letters of one typeface share one command. */
function writeLeaf(node: Extract<MathNode, { kind: 'leaf' }>): string {
  const line = new Line();
  let open = '';
  let openStyle = node.style;
  const endOpen = () => {
    append(line, wrapStyle(open, openStyle));
    open = '';
  };
  for (const character of node.text) {
    const { letter, style = node.style } = splitStyle(character);
    const code = writeCharacter(letter);
    const isCommand = code.startsWith('\\');
    if (style !== openStyle || isCommand) endOpen();
    openStyle = style;
    if (isCommand) append(line, wrapStyle(code, style));
    else open += code;
  }
  endOpen();
  return line.toString();
}

function writeWord({ text, style }: Extract<MathNode, { kind: 'word' }>): string {
  if (style === undefined) return writeFunction(text);
  return wrapStyle([...text].map(writeCharacter).join(''), style);
}

/** Writes the items of a row. Relations and binary operators get spaces around them. */
function writeRow(items: readonly MathNode[]): string {
  const line = new Line();
  let hasOperand = false;
  for (const item of items) {
    const sign = item.kind === 'leaf' ? item.text.trim() : '';
    if (item.kind === 'space') {
      if (hasOperand && !/ $/.test(line.tail)) line.add('\\ ');
      continue;
    }
    const code = writeLatex(item);
    if (code === '') continue;
    if (isRelation(sign) || (isBinary(sign) && hasOperand)) {
      line.trimEnd();
      if (!line.isEmpty) line.add(' ');
      line.add(code);
      line.add(' ');
      hasOperand = false;
    } else if (sign === ',' || sign === ';') {
      line.trimEnd();
      append(line, code);
      line.add(' ');
      hasOperand = false;
    } else {
      if (isFunction(item) && /[A-Za-z0-9})\]]$/.test(line.tail)) line.add(' ');
      append(line, code);
      hasOperand = !isBinary(sign) && !/^[([{:]$/.test(sign);
    }
  }
  line.trimEnd();
  return line.toString();
}

const isFunction = (node: MathNode): boolean =>
  node.kind === 'word' || (node.kind === 'scripts' && node.base.kind === 'word');

const group = (node: MathNode | undefined) => `{${node ? writeLatex(node) : ''}}`;

const isOperatorBase = (base: MathNode) =>
  (base.kind === 'leaf' && isLargeOperator(base.text)) || (base.kind === 'word' && base.style === undefined);

/** Returns whether scripts can follow the base without braces around it. */
function isSimpleBase(base: MathNode): boolean {
  if (base.kind === 'leaf') return [...base.text].length === 1 || /^\d+$/.test(base.text);
  if (base.kind === 'fence') return true;
  return base.kind === 'word' || (base.kind === 'accent' && isLabelled(base.mark));
}

function writeScripts(node: ScriptsNode): string {
  const { base, isBefore, isStacked } = node;
  const sub = node.sub && !isEmptyNode(node.sub) ? node.sub : undefined;
  const sup = node.sup && !isEmptyNode(node.sup) ? node.sup : undefined;
  if (!sub && !sup) return writeLatex(base);
  const scripts = (sub ? `_${group(sub)}` : '') + (sup ? writeSuperscript(sup) : '');
  const code = writeLatex(base);
  if (isBefore) return joinCode([`{}${scripts}`, code]);
  const isLimit = base.kind === 'word' && isLimitFunction(base.text);
  const isLabel = base.kind === 'accent' && isLabelled(base.mark);
  if (isStacked && !isOperatorBase(base) && !isLabel && !isLimit) return writeStack(code, sub, sup);
  return (isSimpleBase(base) ? code : `{${code}}`) + scripts;
}

/** Writes a superscript. Primes become apostrophes, because `x^{'}` would raise them twice. */
function writeSuperscript(sup: MathNode): string {
  const code = writeLatex(sup);
  return /^'+$/.test(code) ? code : `^{${code}}`;
}

function writeStack(code: string, sub: MathNode | undefined, sup: MathNode | undefined): string {
  const lower = sub ? `\\underset${group(sub)}{${code}}` : code;
  return sup ? `\\overset${group(sup)}{${lower}}` : lower;
}

function writeAccent({ base, mark, isBelow }: AccentNode): string {
  const accent = findAccent(mark, isBelow);
  const code = writeLatex(base);
  if (!accent) {
    const sign = [...mark].map(writeCharacter).join('');
    return `\\${isBelow ? 'underset' : 'overset'}{${sign}}{${code}}`;
  }
  const isNarrow = base.kind === 'leaf' && [...base.text].length === 1;
  return `\\${isNarrow ? accent.narrow : accent.wide}{${code}}`;
}

/** Matches LaTeX code that is higher than a line, so that brackets around it must grow. */
const TALL = /\\(?:d?frac|binom|sum|prod|coprod|i{0,3}int|oint|big\w|begin|left|over|under|sqrt|genfrac)/;

function writeFence(node: FenceNode): string {
  const [only] = node.parts;
  if (node.parts.length === 1 && only?.kind === 'table') {
    const table = writeTable(only, writeLatex, node);
    if (table !== undefined) return table;
  }
  if (node.parts.length === 1 && only?.kind === 'fraction' && !only.hasLine && node.open === '(') {
    return `\\binom${group(only.over)}${group(only.under)}`;
  }
  const [open, close] = [writeDelimiter(node.open), writeDelimiter(node.close)];
  const parts = node.parts.map(writeLatex);
  const isTall = parts.some((part) => TALL.test(part));
  if (!isTall && node.open !== '' && node.close !== '') {
    const inner = parts.join(
      node.separator === '' ? '' : ` ${writeCharacter(node.separator)} `.replace(' , ', ', '),
    );
    return joinCode([open, inner, close]);
  }
  const middle =
    node.separator === '|' || node.separator === '∣' ? ' \\middle| ' : `${writeCharacter(node.separator)} `;
  return `\\left${open || '.'} ${parts.join(middle)} \\right${close || '.'}`;
}

const writeDelimiter = (sign: string) =>
  sign === '∣' ? '|' : sign === '∥' ? '\\Vert' : [...sign].map(writeCharacter).join('');

/** Writes a formula as LaTeX code for math mode. */
export function writeLatex(node: MathNode): string {
  switch (node.kind) {
    case 'row':
      return writeRow(node.items);
    case 'leaf':
      return writeLeaf(node);
    case 'word':
      return writeWord(node);
    case 'text':
      return node.text.trim() === '' ? '\\ ' : writeText(node.text);
    case 'space':
      return '\\ ';
    case 'break':
      return ' \\\\ ';
    case 'fraction':
      return node.hasLine
        ? `\\frac${group(node.over)}${group(node.under)}`
        : `\\genfrac{}{}{0pt}{}${group(node.over)}${group(node.under)}`;
    case 'root':
      return node.degree && !isEmptyNode(node.degree)
        ? `\\sqrt[${writeLatex(node.degree)}]${group(node.base)}`
        : `\\sqrt${group(node.base)}`;
    case 'box':
      return `\\boxed${group(node.base)}`;
    case 'phantom':
      return `\\phantom${group(node.base)}`;
    case 'scripts':
      return writeScripts(node);
    case 'accent':
      return writeAccent(node);
    case 'fence':
      return writeFence(node);
    case 'table':
      return writeTable(node, writeLatex) ?? '';
  }
}
