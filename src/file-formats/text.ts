import { defineFormat } from './define.ts';
import { CODE_EXTENSIONS } from './programming-languages.ts';

const XML_EXTENSIONS = 'xml nxml jats svg rss atom opml tei dbk docbook dita xbrl gpx kml'.split(' ');

/**
 * Returns whether the first element belongs to an XML vocabulary that shares names with HTML: it declares
 * another namespace, or has an attribute of JATS.
 */
function isOtherVocabulary(head: string): boolean {
  const [tag = ''] = /^<[^<>]*/.exec(head) ?? [];
  const namespace = /\sxmlns\s*=\s*["']([^"']*)["']/.exec(tag)?.[1];
  return (namespace !== undefined && !namespace.includes('xhtml')) || /\sarticle-type\s*=/.test(tag);
}

function isHtml(text: string, extension: string): boolean {
  // Source code may begin with HTML and go on as a program.
  if (CODE_EXTENSIONS.includes(extension)) return false;
  const head = text
    .slice(0, 4096)
    .replace(/<!--[\s\S]*?-->/g, '')
    .trimStart();
  if (/^(?:<\?xml[^>]*>\s*)?<!doctype\s+html/i.test(head) || /^(?:<\?xml[^>]*>\s*)?<html[\s>]/i.test(head))
    return true;
  if (['html', 'htm', 'xhtml'].includes(extension)) return /<[a-z!/][^<>]*>/i.test(head);
  if (XML_EXTENSIONS.includes(extension) || isOtherVocabulary(head)) return false;
  return /^<(?:head|body|div|p|table|h[1-6]|ul|ol|section|article|title|meta)\b[^>]*>/i.test(head);
}

/** Maximum number of comments and processing instructions in front of the root element that are skipped. */
const MAX_PREFACE = 50;

/** Returns a text from its first element or document type declaration on, without the comments before. */
function skipPreface(text: string): string {
  let at = 0;
  for (let count = 0; count < MAX_PREFACE; count++) {
    const start = text.slice(at).search(/\S/);
    if (start < 0) return '';
    at += start;
    const isComment = text.startsWith('<!--', at);
    if (!isComment && !text.startsWith('<?', at)) return text.slice(at);
    const close = text.indexOf(isComment ? '-->' : '?>', at);
    if (close < 0) return '';
    at = close + (isComment ? 3 : 2);
  }
  return text.slice(at);
}

/** Extensions of texts that may contain tags without being XML. */
const NOT_XML = new Set(['txt', 'md', 'vue', 'svelte', ...CODE_EXTENSIONS]);

function isXml(text: string, extension: string): boolean {
  if (extension === 'txt') return false;
  const head = text.trimStart();
  if (/^<\?xml\s/.test(head)) return true;
  if (XML_EXTENSIONS.includes(extension)) return /^</.test(head);
  if (NOT_XML.has(extension)) return false;
  const root = skipPreface(head);
  if (isOtherVocabulary(root)) return true;
  if (/^<!DOCTYPE\s+(?!html\b)[\w:.-]{1,200}\s*(?:SYSTEM\b|PUBLIC\b|\[|>)/i.test(root)) return true;
  if (/^<[\w:.-]{1,200}\s[^<>]*\bxmlns(?::[\w.-]{1,100})?\s*=/.test(root)) return true;
  return /^<([\w:.-]{1,200})(?=[\s/>])[^>]*>[\s\S]*<\/\1>$/.test(root.trimEnd());
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return /^\s*[[{]/.test(text);
  } catch {
    return false;
  }
}

/**
 * Returns whether the first lines of a text all contain the same number of separators, as in CSV files. Prose
 * almost never does.
 */
function isSeparatedBy(text: string, separator: ',' | '\t'): boolean {
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

export const html = defineFormat({
  kind: 'html',
  title: 'Web page',
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  content: { text: { isCertain: isHtml } },
  isParsedAsText: true,
});

export const xml = defineFormat({
  kind: 'xml',
  title: 'XML',
  extensions: XML_EXTENSIONS,
  mediaTypes: [
    'application/xml',
    'text/xml',
    'image/svg+xml',
    'application/rss+xml',
    'application/atom+xml',
    'application/tei+xml',
    'application/docbook+xml',
    'text/x-opml',
  ],
  content: { text: { isCertain: isXml } },
  isParsedAsText: true,
});

export const json = defineFormat({
  kind: 'json',
  title: 'JSON',
  extensions: ['json', 'jsonl', 'ndjson', 'geojson'],
  mediaTypes: ['application/json', 'application/x-ndjson', 'application/geo+json'],
  content: { text: { guess: { matches: isJson, strength: 4 } } },
  isParsedAsText: true,
});

export const tsv = defineFormat({
  kind: 'tsv',
  title: 'Tab-separated values',
  extensions: ['tsv', 'tab'],
  mediaTypes: ['text/tab-separated-values'],
  content: { text: { guess: { matches: (text) => isSeparatedBy(text, '\t'), strength: 3 } } },
  isParsedAsText: true,
});

export const md = defineFormat({
  kind: 'md',
  title: 'Markdown',
  extensions: ['md', 'markdown', 'mdown', 'mkd'],
  mediaTypes: ['text/markdown'],
  content: { text: { guess: { matches: looksLikeMarkdown, strength: 2 } } },
  isParsedAsText: true,
});

export const csv = defineFormat({
  kind: 'csv',
  title: 'Comma-separated values',
  extensions: ['csv'],
  mediaTypes: ['text/csv'],
  // Prose contains commas too, so the guess that a text is CSV has the lowest rank.
  content: { text: { guess: { matches: (text) => isSeparatedBy(text, ','), strength: 1 } } },
  isParsedAsText: true,
});

/** Format of all texts that no other text format recognizes. */
export const txt = defineFormat({
  kind: 'txt',
  title: 'Plain text',
  extensions: ['txt', 'text', 'log'],
  mediaTypes: ['text/plain'],
  content: { text: {} },
  isParsedAsText: true,
});
