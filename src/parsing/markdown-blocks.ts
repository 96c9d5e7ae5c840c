import type { Block } from './document.ts';

/** YAML-like `key: value` lines between two `---` lines at the start. */
export function frontMatter(text: string): { fields: Record<string, string>; body: string } {
  const match = /^---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$)/.exec(text);
  if (!match) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  for (const line of match[1]!.split('\n')) {
    const field = /^([\w-]+):\s*(.+)$/.exec(line);
    if (field) fields[field[1]!.toLowerCase()] = field[2]!.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  return { fields, body: text.slice(match[0].length) };
}

/** A Markdown line as a reader sees it: without marks, link targets and HTML tags. */
export function markdownText(markdown: string): string {
  return markdown
    .replace(/!\[([^\][]*)\]\([^()]{0,2000}\)/g, '$1')
    .replace(/\[([^\][]*)\]\([^()]{0,2000}(?:\([^()]{0,200}\)[^()]{0,200})?\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+)\*/g, '$1')
    .replace(/`+([^`]+)`+/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1');
}

const isFence = (line: string) => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
const isHeading = (line: string) => /^ {0,3}(#{1,6})(?:\s(.*))?$/.exec(line);
const isItem = (line: string) => /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line);
const isTableRule = (line: string) =>
  line.length < 2000 && /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line) && line.includes('-');
const isRule = (line: string) => /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line);
const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';

function tableText(lines: string[]): string {
  return lines
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => markdownText(cell.trim()))
        .join('\t'),
    )
    .join('\n');
}

const itemText = (line: string) =>
  markdownText(line.replace(/^(\s*)(?:[-*+]|(\d{1,9}[.)]))\s+/, '$1$2 ')).replace(/^ (?=\S)/, '');

/** The blocks of a Markdown text, each with its source unchanged. */
export function splitMarkdown(source: string): Block[] {
  const lines = source.split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (keep: (line: string) => boolean) => {
    const from = at;
    while (at < lines.length && keep(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const next = lines[at + 1];
    const heading = isHeading(line);
    const fence = isFence(line);
    if (isBlank(line) || isRule(line)) at++;
    else if (fence) {
      at++;
      const body = takeWhile(
        (inner) => !(isFence(inner)?.startsWith(fence) && inner.trim() === isFence(inner)),
      );
      const markdown = [line, ...body, at < lines.length ? lines[at]! : fence].join('\n');
      at++;
      if (body.some((inner) => inner.trim() !== ''))
        blocks.push({ type: 'code', text: body.join('\n'), markdown });
    } else if (heading) {
      at++;
      const text = markdownText(
        (heading[2] ?? '')
          .trim()
          .replace(/(?:^|\s)#+$/, '')
          .trim(),
      );
      if (text !== '')
        blocks.push({ type: 'heading', text, markdown: line.trim(), level: heading[1]!.length });
    } else if (line.includes('|') && next !== undefined && isTableRule(next) && next.includes('|')) {
      const rows = takeWhile((row) => !isBlank(row));
      blocks.push({ type: 'table', text: tableText(rows), markdown: rows.join('\n') });
    } else if (isItem(line)) {
      const items = takeWhile(
        (item) => !isBlank(item) || isItem(lines[at + 1] ?? '') || /^\s+\S/.test(lines[at + 1] ?? ''),
      );
      const body = items.join('\n').trimEnd();
      blocks.push({ type: 'list', text: items.map(itemText).join('\n').trim(), markdown: body });
    } else {
      const level = /^ {0,3}=+\s*$/.test(next ?? '') ? 1 : /^ {0,3}-+\s*$/.test(next ?? '') ? 2 : 0;
      if (level > 0) {
        at += 2;
        const text = markdownText(line.trim());
        blocks.push({ type: 'heading', text, markdown: `${'#'.repeat(level)} ${line.trim()}`, level });
        continue;
      }
      at++;
      const rest = takeWhile((inner) => !isBlank(inner) && !isHeading(inner) && !isFence(inner));
      const body = [line, ...rest].join('\n');
      const isFigure = /^\s*!\[[^\]]*\]\([^)]*\)\s*$/.test(body);
      const text = markdownText(body.replace(/^\s*> ?/gm, '')).trim();
      if (text !== '' || isFigure)
        blocks.push({ type: isFigure ? 'figure' : 'paragraph', text, markdown: body });
    }
  }
  return blocks;
}
