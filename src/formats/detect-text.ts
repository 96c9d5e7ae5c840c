import type { FileKind } from '#src/documents/file-formats.ts';

const BY_EXTENSION: Record<string, FileKind> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  md: 'md',
  markdown: 'md',
  mdown: 'md',
  mkd: 'md',
  txt: 'txt',
  text: 'txt',
  log: 'txt',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  geojson: 'json',
};

const MAIL_HEADERS =
  /^(?:received|return-path|delivered-to|mime-version|message-id|date|from|to|cc|subject|content-type|reply-to|x-[\w-]+|dkim-signature|arc-[\w-]+|authentication-results|envelope-to|sender|importance|list-[\w-]+|references|in-reply-to|thread-[\w-]+)$/i;

/** A mail starts with header lines, at least two of them of the usual names, then an empty line. */
function isMail(text: string, extension: string): boolean {
  const lines = text.replace(/^From .*\r?\n/, '').split(/\r\n|\n|\r/);
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    // The last line may have been cut in the middle.
    if (line.trim() === '' || (index > 0 && index === lines.length - 1)) break;
    if (/^[ \t]/.test(line)) continue;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (!name) return false;
    if (MAIL_HEADERS.test(name)) names.add(name.toLowerCase());
  }
  const telling = ['received', 'mime-version', 'message-id', 'return-path'].some((name) => names.has(name));
  const named = ['eml', 'mht', 'mhtml', 'mbox'].includes(extension);
  return names.size >= 2 && (named || telling || (names.has('from') && names.has('subject')));
}

function isHtml(text: string, extension: string): boolean {
  const head = text
    .slice(0, 4096)
    .replace(/<!--[\s\S]*?-->/g, '')
    .trimStart();
  if (/^(?:<\?xml[^>]*>\s*)?<!doctype\s+html/i.test(head) || /^(?:<\?xml[^>]*>\s*)?<html[\s>]/i.test(head))
    return true;
  if (['html', 'htm', 'xhtml'].includes(extension)) return /<[a-z!/][^<>]*>/i.test(head);
  return /^<(?:head|body|div|p|table|h[1-6]|ul|ol|section|article|title|meta)\b[^>]*>/i.test(head);
}

const isXml = (text: string, extension: string) => {
  const head = text.trimStart();
  if (/^<\?xml\s/.test(head)) return true;
  return extension === 'xml' || extension === 'svg'
    ? /^</.test(head)
    : /^<([\w:.-]{1,200})(?=[\s/>])[^>]*>[\s\S]*<\/\1>$/.test(head.trimEnd());
};

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return /^\s*[[{]/.test(text);
  } catch {
    return false;
  }
};

/** The same number of separators on each of the first lines, where no prose would have them. */
function separatedBy(text: string, separator: ',' | '\t'): boolean {
  const lines = text
    .split(/\r\n|\n|\r/)
    .slice(0, 20)
    .filter((line) => line !== '');
  const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1);
  return lines.length >= 2 && counts[0]! >= 1 && counts.every((count) => count === counts[0]);
}

function looksLikeMarkdown(text: string): boolean {
  const signs = [
    /^#{1,6} \S/m,
    /^```/m,
    /^[ \t]*[-*+] \S/m,
    /\[[^\][\n]{1,200}\]\([^)\s]{1,500}\)/,
    /^\|.*\|\s*\n\|[\s:|-]+\|/m,
  ];
  return signs.filter((sign) => sign.test(text)).length >= 2;
}

/** The kind of a text by what it says; `extension` (lower case, no dot) decides what content cannot. */
export function detectText(text: string, extension: string): FileKind {
  if (isHtml(text, extension)) return 'html';
  if (isMail(text, extension)) return 'eml';
  if (extension !== 'txt' && isXml(text, extension)) return 'xml';
  const named = BY_EXTENSION[extension];
  if (named) return named;
  if (isJson(text)) return 'json';
  if (separatedBy(text, '\t')) return 'tsv';
  if (looksLikeMarkdown(text)) return 'md';
  if (separatedBy(text, ',')) return 'csv';
  return 'txt';
}
