import { codeFence } from '#src/lib/text/backticks.ts';
import { type AdfNode, getAttribute } from './document.ts';
import { renderLink } from './inline.ts';

// Renders block nodes of the Atlassian Document Format as Markdown, from their rendered children.

export interface Rendered {
  text: string;
  isBlock: boolean;
  /** True if the block is a list. A nested list follows the text of its item without a blank line. */
  isList?: boolean;
  cells?: Rendered[];
  isHeader?: boolean;
}

const DEEPEST_HEADING = 6;
const MAX_COLUMNS = 100;
const LANGUAGE = /^[\w+#.-]{1,30}$/;

export const inline = (text: string): Rendered => ({ text, isBlock: false });
const block = (text: string): Rendered => ({ text, isBlock: true });

/**
 * Joins rendered parts of Markdown. A blank line separates blocks, and a line break separates a list from the
 * block before it. Inline parts follow each other directly.
 */
export function joinParts(parts: Rendered[]): string {
  let all = '';
  let before: Rendered | undefined;
  for (const part of parts) {
    if (part.text === '') continue;
    const areBothInline = !before || (!before.isBlock && !part.isBlock);
    all += areBothInline
      ? part.text
      : `${part.isList && before?.isBlock === true ? '\n' : '\n\n'}${part.text}`;
    before = part;
  }
  return all;
}

const joinBlocks = (parts: Rendered[]) => joinParts(parts.map((part) => ({ ...part, isList: false })));

/** Escapes Markdown syntax at the beginning of lines, so that the lines stay a plain paragraph. */
export const escapeLineStarts = (text: string): string =>
  text
    .replaceAll(/^([ \t]*)(>|[#*+=-]+(?=[ \t]|$)|`{3}|~{3})/gm, '$1\\$2')
    .replaceAll(/^([ \t]*\d{1,9})([.)][ \t])/gm, '$1\\$2');

const prefixLines = (text: string, first: string, rest: string) =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first : line === '' ? rest.trimEnd() : rest) + line)
    .join('\n');

const quoteLines = (text: string) => (text === '' ? '' : prefixLines(text, '> ', '> '));

const renderItem = (marker: string, parts: Rendered[]) =>
  prefixLines(joinParts(parts), marker, ' '.repeat(marker.length));

const renderList = (items: Rendered[], marker: (index: number) => string): Rendered => ({
  ...{ isBlock: true, isList: true },
  text: items.map((each, index) => renderItem(marker(index), [each])).join('\n'),
});

function renderTable(rows: Rendered[]): Rendered {
  const lines = rows.flatMap(({ cells }) => (cells && cells.length > 0 ? [cells] : []));
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  if (width === 0) return block(joinParts(rows));
  const shown = (cells: Rendered[]) =>
    `| ${Array.from({ length: width }, (_, at) => toCellText(cells[at]?.text ?? '')).join(' | ')} |`;
  const isHead = lines[0]!.every(({ isHeader }) => isHeader);
  const [head, body] = isHead ? [lines[0]!, lines.slice(1)] : [[], lines];
  const rule = `|${' --- |'.repeat(width)}`;
  return block([shown(head), rule, ...body.map(shown)].join('\n'));
}

const toCellText = (text: string) => toSingleLine(text).replaceAll('|', '\\|');

const toSingleLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

function renderCell(node: AdfNode, parts: Rendered[]): Rendered {
  return { text: joinParts(parts), isBlock: true, isHeader: node.type === 'tableHeader' };
}

/**
 * Builds a row of a Markdown table. A cell that spans several columns is followed by empty cells, to keep the
 * columns aligned.
 */
function renderRow(cells: Rendered[], spans: number[]): Rendered {
  const all = cells.flatMap((cell, at) => {
    const empty = { ...cell, text: '' };
    return [cell, ...Array.from({ length: Math.min(spans[at] ?? 1, MAX_COLUMNS) - 1 }, () => empty)];
  });
  return { text: joinParts(cells), isBlock: true, cells: all.slice(0, MAX_COLUMNS) };
}

function renderCodeBlock(node: AdfNode, parts: Rendered[]): Rendered {
  const code = parts.map(({ text }) => text).join('');
  const fence = codeFence(code);
  const language = getAttribute(node, 'language');
  return block(`${fence}${LANGUAGE.test(language) ? language : ''}\n${code}\n${fence}`);
}

const renderPanelName = (node: AdfNode) => {
  const kind = getAttribute(node, 'panelType');
  return kind && kind !== 'custom' ? `**${kind[0]!.toUpperCase()}${kind.slice(1)}**` : '';
};

/**
 * Renders a node of the Atlassian Document Format from its rendered children. `below` is the level of the
 * heading above the text.
 */
export function renderBlock(node: AdfNode, parts: Rendered[], below: number): Rendered {
  switch (node.type) {
    case 'paragraph':
    case 'caption':
      return block(escapeLineStarts(joinParts(parts)));
    case 'heading': {
      const level = Math.min(Math.max(Number(getAttribute(node, 'level')) || 1, 1) + below, DEEPEST_HEADING);
      const text = toSingleLine(joinParts(parts));
      return block(text && `${'#'.repeat(level)} ${text}`);
    }
    case 'bulletList':
    case 'decisionList':
      return renderList(parts, () => '- ');
    case 'orderedList': {
      const order = Number(getAttribute(node, 'order') || 1);
      const first = Number.isSafeInteger(order) && order >= 0 && order < 1e8 ? order : 1;
      return renderList(parts, (index) => `${first + index}. `);
    }
    case 'taskList':
      // The Atlassian Document Format stores a nested task list next to the task items and not inside one.
      return {
        ...{ isBlock: true, isList: true },
        text: parts.map(({ text, isList }) => (isList ? prefixLines(text, '  ', '  ') : text)).join('\n'),
      };
    case 'taskItem':
    case 'blockTaskItem':
      return block(renderItem(getAttribute(node, 'state') === 'DONE' ? '- [x] ' : '- [ ] ', parts));
    case 'codeBlock':
      return renderCodeBlock(node, parts);
    case 'blockquote':
      return block(quoteLines(joinBlocks(parts)));
    case 'panel':
      return block(quoteLines(joinBlocks([block(renderPanelName(node)), ...parts])));
    case 'rule':
      return block('---');
    case 'expand':
    case 'nestedExpand': {
      const title = getAttribute(node, 'title');
      return block(joinBlocks([block(title && `**${title}**`), ...parts]));
    }
    case 'blockCard':
    case 'embedCard':
      return block(renderLink('', getAttribute(node, 'url')));
    case 'table':
      return renderTable(parts);
    case 'tableRow':
      return renderRow(parts, node.content.map(getColumnSpan));
    case 'tableCell':
    case 'tableHeader':
      return renderCell(node, parts);
    case 'listItem':
      return block(joinParts(parts));
    default:
      return { text: node.text + joinBlocks(parts), isBlock: parts.some(({ isBlock }) => isBlock) };
  }
}

function getColumnSpan(cell: unknown): number {
  const attrs = (cell as { attrs?: { colspan?: unknown } | null } | null)?.attrs;
  return Number.isSafeInteger(attrs?.colspan) ? Math.max(1, Number(attrs?.colspan)) : 1;
}
