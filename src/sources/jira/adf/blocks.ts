import { codeFence } from '#src/lib/text/backticks.ts';
import { type AdfNode, attribute } from './document.ts';
import { linked } from './inline.ts';

// Renders block nodes of the Atlassian Document Format from their rendered children.

export interface Rendered {
  text: string;
  isBlock: boolean;
  /** Whether the block is a list. A nested list follows the text of its item without a blank line. */
  isList?: boolean;
  cells?: Rendered[];
  isHeader?: boolean;
}

const DEEPEST_HEADING = 6;
const MOST_COLUMNS = 100;
const LANGUAGE = /^[\w+#.-]{1,30}$/;

export const inline = (text: string): Rendered => ({ text, isBlock: false });
const block = (text: string): Rendered => ({ text, isBlock: true });

/**
 * Joins rendered parts. A blank line separates blocks, a line break a list from the block before it, and
 * inline parts follow each other directly.
 */
export function joined(parts: Rendered[]): string {
  let all = '';
  let before: Rendered | undefined;
  for (const part of parts) {
    if (part.text === '') continue;
    const isBeside = !before || (!before.isBlock && !part.isBlock);
    all += isBeside ? part.text : `${part.isList && before?.isBlock === true ? '\n' : '\n\n'}${part.text}`;
    before = part;
  }
  return all;
}

const apart = (parts: Rendered[]) => joined(parts.map((part) => ({ ...part, isList: false })));

/** Escapes Markdown syntax at the beginning of lines, so the lines stay a plain paragraph. */
export const plainLines = (text: string): string =>
  text
    .replaceAll(/^([ \t]*)(>|[#*+=-]+(?=[ \t]|$)|`{3}|~{3})/gm, '$1\\$2')
    .replaceAll(/^([ \t]*\d{1,9})([.)][ \t])/gm, '$1\\$2');

const prefixed = (text: string, first: string, rest: string) =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first : line === '' ? rest.trimEnd() : rest) + line)
    .join('\n');

const quoted = (text: string) => (text === '' ? '' : prefixed(text, '> ', '> '));

const item = (marker: string, parts: Rendered[]) =>
  prefixed(joined(parts), marker, ' '.repeat(marker.length));

const listOf = (items: Rendered[], marker: (index: number) => string): Rendered => ({
  ...{ isBlock: true, isList: true },
  text: items.map((each, index) => item(marker(index), [each])).join('\n'),
});

function tableOf(rows: Rendered[]): Rendered {
  const lines = rows.flatMap(({ cells }) => (cells && cells.length > 0 ? [cells] : []));
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  if (width === 0) return block(joined(rows));
  const shown = (cells: Rendered[]) =>
    `| ${Array.from({ length: width }, (_, at) => cellText(cells[at]?.text ?? '')).join(' | ')} |`;
  const isHead = lines[0]!.every(({ isHeader }) => isHeader);
  const [head, body] = isHead ? [lines[0]!, lines.slice(1)] : [[], lines];
  const rule = `|${' --- |'.repeat(width)}`;
  return block([shown(head), rule, ...body.map(shown)].join('\n'));
}

const cellText = (text: string) => withinLine(text).replaceAll('|', '\\|');

const withinLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

function cellOf(node: AdfNode, parts: Rendered[]): Rendered {
  return { text: joined(parts), isBlock: true, isHeader: node.type === 'tableHeader' };
}

/**
 * Builds a table row. Cells that span several columns are followed by empty cells to keep the columns
 * aligned.
 */
function rowOf(cells: Rendered[], spans: number[]): Rendered {
  const all = cells.flatMap((cell, at) => {
    const empty = { ...cell, text: '' };
    return [cell, ...Array.from({ length: Math.min(spans[at] ?? 1, MOST_COLUMNS) - 1 }, () => empty)];
  });
  return { text: joined(cells), isBlock: true, cells: all.slice(0, MOST_COLUMNS) };
}

function codeOf(node: AdfNode, parts: Rendered[]): Rendered {
  const code = parts.map(({ text }) => text).join('');
  const fence = codeFence(code);
  const language = attribute(node, 'language');
  return block(`${fence}${LANGUAGE.test(language) ? language : ''}\n${code}\n${fence}`);
}

const panelName = (node: AdfNode) => {
  const kind = attribute(node, 'panelType');
  return kind && kind !== 'custom' ? `**${kind[0]!.toUpperCase()}${kind.slice(1)}**` : '';
};

/** Renders a node from its rendered children. `below` is the heading level of the surrounding text. */
export function rendered(node: AdfNode, parts: Rendered[], below: number): Rendered {
  switch (node.type) {
    case 'paragraph':
    case 'caption':
      return block(plainLines(joined(parts)));
    case 'heading': {
      const level = Math.min(Math.max(Number(attribute(node, 'level')) || 1, 1) + below, DEEPEST_HEADING);
      const text = withinLine(joined(parts));
      return block(text && `${'#'.repeat(level)} ${text}`);
    }
    case 'bulletList':
    case 'decisionList':
      return listOf(parts, () => '- ');
    case 'orderedList': {
      const order = Number(attribute(node, 'order') || 1);
      const first = Number.isSafeInteger(order) && order >= 0 && order < 1e8 ? order : 1;
      return listOf(parts, (index) => `${first + index}. `);
    }
    case 'taskList':
      // A nested task list is a sibling of the task items, not a child of one.
      return {
        ...{ isBlock: true, isList: true },
        text: parts.map(({ text, isList }) => (isList ? prefixed(text, '  ', '  ') : text)).join('\n'),
      };
    case 'taskItem':
    case 'blockTaskItem':
      return block(item(attribute(node, 'state') === 'DONE' ? '- [x] ' : '- [ ] ', parts));
    case 'codeBlock':
      return codeOf(node, parts);
    case 'blockquote':
      return block(quoted(apart(parts)));
    case 'panel':
      return block(quoted(apart([block(panelName(node)), ...parts])));
    case 'rule':
      return block('---');
    case 'expand':
    case 'nestedExpand': {
      const title = attribute(node, 'title');
      return block(apart([block(title && `**${title}**`), ...parts]));
    }
    case 'blockCard':
    case 'embedCard':
      return block(linked('', attribute(node, 'url')));
    case 'table':
      return tableOf(parts);
    case 'tableRow':
      return rowOf(parts, node.content.map(spanOf));
    case 'tableCell':
    case 'tableHeader':
      return cellOf(node, parts);
    case 'listItem':
      return block(joined(parts));
    default:
      return { text: node.text + apart(parts), isBlock: parts.some(({ isBlock }) => isBlock) };
  }
}

function spanOf(cell: unknown): number {
  const attrs = (cell as { attrs?: { colspan?: unknown } | null } | null)?.attrs;
  return Number.isSafeInteger(attrs?.colspan) ? Math.max(1, Number(attrs?.colspan)) : 1;
}
