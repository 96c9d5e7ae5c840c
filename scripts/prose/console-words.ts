import { parse } from '@babel/parser';
import { traverseFast } from '@babel/types';
import type { FileProblem } from './exceptions.ts';

/**
 * Labels that the console used in the past, with the words that users know from other products. The check
 * ignores case, and a final full stop or ellipsis.
 */
const FORMER_LABELS: Record<string, string> = {
  'make it': 'Create',
  'make the key': 'Create key',
  'try it': 'Test connection',
  'kept in': 'Vector store',
  'embedding and place': 'Embedding & storage',
  'words or meaning': 'Keyword ↔ semantic weight',
  'found by meaning': 'Semantic top-k',
  'found by words': 'Keyword top-k',
  'as the index has it': 'Index default',
  'what to heed': 'Instructions',
  'one result': 'Extract per',
  'one result per': 'Extract per',
  'of the document': 'Document',
  effort: 'Quality',
  usual: 'Standard',
  'leave scans unread': 'Skip OCR',
  'read scans finer': 'High-resolution OCR',
  'pages at most': 'Max pages',
  'given up': 'Failed',
  'on their way': 'Pending',
  'on its way': 'Pending',
  well: 'Healthy',
  'models in force': 'Active models',
  'letters do something': 'Enable single-key shortcuts',
  'for looking, not for billing': 'Informational only; UTC days',
  'the schema is right': 'Schema is valid',
  'a change': 'Files changed',
  'it reads no source': 'No data sources',
  'that did not work': "Couldn't send the message",
  reaches: 'Scope',
  ends: 'Expires',
  made: 'Created',
};

/** Expressions that no text of the console contains, wherever they stand. */
const FORMER_WORDS = /\b(?:heed|given up|on their way|in force|whence|thereof|such a one)\b/i;

/** Placeholders, plural forms and tags of a message in ICU MessageFormat. */
const MESSAGE_MARKUP = /\{\w+(?:, plural, (?:\w+|=\d+) \{)?|\} (?:\w+|=\d+) \{|\}+|<\/?\w+>|# /;

/**
 * Finds texts of the console that use former words: string literals, templates and text between tags. Object
 * keys, imports and types are not shown to users and are not checked.
 */
export function checkConsoleWords(file: string, code: string): FileProblem[] {
  const problems: FileProblem[] = [];
  const check = (text: string, line: number) => {
    const label = text.replaceAll(/\s+/g, ' ').trim();
    const known = label.toLowerCase().replace(/(?:\.|\s?…|:)$/, '');
    const better = Object.hasOwn(FORMER_LABELS, known) ? FORMER_LABELS[known] : undefined;
    // Keys and values of the API are written in small letters, and are not labels.
    const isLabel = /^\p{Lu}/u.test(label);
    if (better !== undefined && isLabel) {
      problems.push({ file, line, rule: 'former label', text: `${label} (now "${better}")` });
    } else if (FORMER_WORDS.test(label)) {
      problems.push({ file, line, rule: 'former word', text: label });
    }
  };
  const syntax = parse(code, { sourceType: 'module', plugins: ['typescript', 'jsx'] });
  traverseFast(syntax, (node) => {
    const line = node.loc?.start.line ?? 1;
    if (node.type === 'StringLiteral') {
      // The parts of a message, such as `Name: ` of `Name: {name}`, are labels as well.
      for (const text of new Set([node.value, ...node.value.split(MESSAGE_MARKUP)])) check(text, line);
    } else if (node.type === 'JSXText') check(node.value, line);
    else if (node.type === 'TemplateElement') check(node.value.cooked ?? '', line);
  });
  return problems;
}
