import { findAccent, isLabelled } from './accents.ts';
import { splitStyle } from './alphabets.ts';
import { Line } from './line.ts';
import { type FenceNode, isEmptyNode, type MathNode, type ScriptsNode, type TableNode } from './nodes.ts';
import { isBinary, isInvisible, isLargeOperator, isLimitFunction, isRelation } from './symbols.ts';

const toPlain = (text: string) =>
  [...text]
    .filter((character) => !isInvisible(character))
    .map((character) => (character.length > 1 ? splitStyle(character).letter : character))
    .join('');

function writeRow(items: readonly MathNode[]): string {
  const line = new Line();
  let hasOperand = false;
  for (const item of items) {
    const sign = item.kind === 'leaf' ? item.text.trim() : '';
    const text = writePlain(item);
    if (isRelation(sign) || (isBinary(sign) && hasOperand)) {
      line.trimEnd();
      if (!line.isEmpty) line.add(' ');
      line.add(text);
      line.add(' ');
      hasOperand = false;
      continue;
    }
    if (needsGap(line.tail, item, text)) line.add(' ');
    line.add(text);
    if (sign === ',' || sign === ';' || isOperator(item)) line.add(' ');
    hasOperand = text.trim() !== '' && !isBinary(sign) && !/^[([{,;:]$/.test(sign);
  }
  line.trimEnd();
  return line.toString();
}

/** Returns whether a space separates a name, such as "sin", from the text before or after it. */
function needsGap(tail: string, item: MathNode, text: string): boolean {
  if (item.kind === 'word') return /[\p{L}\d)]$/u.test(tail);
  return /\p{L}{2}$/u.test(tail) && /^[\p{L}\d]/u.test(text);
}

const isOperator = (node: MathNode): boolean =>
  (node.kind === 'leaf' && isLargeOperator(node.text)) ||
  (node.kind === 'word' && isLimitFunction(node.text)) ||
  (node.kind === 'scripts' && isOperator(node.base));

/** Writes a part of a formula in brackets, unless it is a single letter, number or bracketed part. */
function writeGroup(node: MathNode): string {
  const text = writePlain(node).trim();
  const isBracketed = node.kind === 'fence' || node.kind === 'root';
  const isSingle = node.kind === 'word' || /^(?:\p{L}\p{M}*|[\d.,]*|.)$/u.test(text);
  return isBracketed || isSingle ? text : `(${text})`;
}

function writeScripts({ base, sub, sup, isBefore }: ScriptsNode): string {
  const lower = sub && !isEmptyNode(sub) ? `_${writeGroup(sub)}` : '';
  const raised = sup ? writePlain(sup) : '';
  const isPrime = /^[′″‴⁗'’]+$/.test(raised);
  const upper = !sup || isEmptyNode(sup) ? '' : isPrime ? raised : `^${writeGroup(sup)}`;
  const isPlain = base.kind === 'accent' && isLabelled(base.mark);
  const text = isPlain || base.kind === 'word' ? writePlain(base) : writeGroup(base);
  return isBefore ? lower + upper + text : text + (isPrime ? upper + lower : lower + upper);
}

const writeRows = ({ rows, tags }: TableNode, between: string) =>
  rows
    .map((row, at) => {
      const tag = tags?.[at];
      const line = row
        .map((cell) => writePlain(cell).replace(/,$/, ''))
        .join(between)
        .trim();
      return tag === undefined ? line : `${line} (${tag})`;
    })
    .join('; ');

function writeFence({ open, close, parts, separator }: FenceNode): string {
  const between = separator === ',' || separator === ';' ? `${separator} ` : separator;
  const inner = parts.map((part) => (part.kind === 'table' ? writeRows(part, ', ') : writePlain(part)));
  return open + inner.join(between) + close;
}

/**
 * Writes a formula as one line of plain text that readers and search indexes understand, such as
 * "x = (-b ± √(b^2 - 4ac))/(2a)".
 */
export function writePlain(node: MathNode): string {
  switch (node.kind) {
    case 'row':
      return writeRow(node.items);
    case 'leaf':
    case 'word':
      return toPlain(node.text);
    case 'text':
      return node.text.replace(/\s+/g, ' ');
    case 'space':
    case 'break':
      return ' ';
    case 'fraction':
      return node.hasLine
        ? `${writeGroup(node.over)}/${writeGroup(node.under)}`
        : `${writeGroup(node.over)} choose ${writeGroup(node.under)}`;
    case 'root': {
      const degree = node.degree ? writePlain(node.degree).trim() : '';
      const sign = degree === '3' ? '∛' : degree === '4' ? '∜' : '√';
      return `${sign === '√' && degree !== '' ? `^${degree}√` : sign}(${writePlain(node.base)})`;
    }
    case 'box':
      return writePlain(node.base);
    case 'phantom':
      return '';
    case 'scripts':
      return writeScripts(node);
    case 'accent': {
      const base = writePlain(node.base);
      const combining = findAccent(node.mark, node.isBelow)?.combining;
      return combining !== undefined && [...base].length === 1 ? (base + combining).normalize('NFC') : base;
    }
    case 'fence':
      return writeFence(node);
    case 'table':
      return node.layout === 'matrix' ? `[${writeRows(node, ', ')}]` : writeRows(node, ' ');
  }
}
