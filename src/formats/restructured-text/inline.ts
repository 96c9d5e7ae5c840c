import type { Run } from '../shared/flow/runs.ts';
import type { Footnotes } from '../shared/markup/footnotes.ts';
import {
  formulaRun,
  type InlineReader,
  type InlineReaders,
  readBetween,
  readPattern,
  scriptRun,
  trimAddress,
  tryReaders,
} from '../shared/markup/inline.ts';
import { Insertions } from '../shared/markup/insertions.ts';

const ROLE = /:([a-zA-Z][\w:.+-]{0,40}):`([^`]{1,600})`/y;
const INTERPRETED = /`([^`]{1,600})`(_{0,2})/y;
const FOOTNOTE = /\[(\d{1,5}|#[\w-]{0,60}|\*)\]_/y;
const CITATION = /\[([A-Za-z][\w.:+-]{0,60})\]_/y;
const SUBSTITUTION = /\|([^|\s][^|\n]{0,200})\|_{0,2}/y;
const ADDRESS = /(?:https?|ftp):\/\/[^\s<>"'`|\\]{2,1000}/y;
const REFERENCE = /([A-Za-z][\w.-]{0,60}[A-Za-z0-9])_(?![\w`])/y;
const CODE_ROLES =
  /^(?:code|command|file|kbd|program|samp|option|envvar|literal|token|keyword|(?:\w+:)?(?:func|meth|class|mod|attr|obj|exc|data|const|type|macro|member|option))$/;

/** Names that a reStructuredText document defines. Link names are in lower case. */
export interface RstNames {
  links: Map<string, string>;
  substitutions: Map<string, string>;
}

export const normalizeName = (name: string): string => name.replace(/\s+/g, ' ').trim().toLowerCase();

/** Splits a text such as `title <target>` into both parts. */
function splitTarget(text: string): { title: string; target?: string } {
  const start = text.lastIndexOf('<');
  if (start <= 0 || !text.endsWith('>')) return start === 0 ? { title: text.slice(1, -1) } : { title: text };
  return { title: text.slice(0, start).trim(), target: text.slice(start + 1, -1).trim() };
}

function writeRole(role: string, content: string): Run[] {
  if (role === 'math') return [formulaRun(content)];
  if (/^(?:sub|subscript)$/.test(role)) return [scriptRun('sub', content)];
  if (/^(?:sup|superscript)$/.test(role)) return [scriptRun('sup', content)];
  if (/^(?:strong|guilabel|menuselection)$/.test(role))
    return [{ text: content.replaceAll('-->', '>'), bold: true }];
  if (/^(?:emphasis|title-reference|dfn)$/.test(role)) return [{ text: content, italic: true }];
  const { title, target } = splitTarget(content.replace(/^!/, ''));
  // A tilde before a name shows only its last part.
  const shown = title.startsWith('~') ? title.slice(title.lastIndexOf('.') + 1).replace(/^~/, '') : title;
  const href = target && /^(?:https?|mailto):/.test(target) ? target : undefined;
  return [{ text: shown, ...(CODE_ROLES.test(role) && { code: true }), href }];
}

/** Creates the readers of the marks within lines of reStructuredText. */
export function createReaders(names: RstNames, footnotes: Footnotes): InlineReaders {
  const insertions = new Insertions();
  const interpreted = readPattern(INTERPRETED, ([, content = '', marks = '']) => {
    if (marks === '') return [{ text: content, italic: true }];
    const { title, target } = splitTarget(content);
    const href = target ?? names.links.get(normalizeName(title));
    return [{ text: title, href: href?.replace(/_$/, '') }];
  });
  const reference = readPattern(REFERENCE, ([, name = '']) => {
    const href = names.links.get(normalizeName(name));
    return href === undefined ? undefined : [{ text: name, href }];
  });
  const word = tryReaders(
    readPattern(ADDRESS, ([whole]) => {
      const href = trimAddress(whole);
      return [{ text: href, href }, { text: whole.slice(href.length) }];
    }),
    reference,
  );
  // Only the first character of a word can begin a reference.
  const atWordStart: InlineReader = (text, at, depth) =>
    at > 0 && /[\w\\-]/.test(text[at - 1]!) ? undefined : word(text, at, depth);
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return new Map<string, InlineReader>([
    [
      '*',
      tryReaders(
        readBetween('**', true, (text) => [{ text, bold: true }]),
        readBetween('*', true, (text) => [{ text, italic: true }]),
      ),
    ],
    [
      '`',
      tryReaders(
        readBetween('``', false, (text) => [{ text, code: true }]),
        interpreted,
      ),
    ],
    [':', readPattern(ROLE, ([, role = '', content = '']) => writeRole(role, content))],
    [
      '[',
      tryReaders(
        readPattern(FOOTNOTE, ([, name = '']) => [footnotes.mark(footnotes.resolve(name, 'mark'))]),
        readPattern(CITATION, ([, name = '']) => [{ text: `[${name}]` }]),
      ),
    ],
    ['|', readPattern(SUBSTITUTION, ([, name = '']) => insertions.insert(names.substitutions.get(name)))],
    ['\\', readPattern(/\\[\s\S]/y, ([escaped]) => [{ text: escaped.slice(1).trim() }])],
    ...letters.map((letter): [string, InlineReader] => [letter, atWordStart]),
  ]);
}
