import { buildDocument, type Input, indexed } from '#test/process/hostile/input.ts';

const MIB = 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);
const filled = (unit: string, megabytes: number) => bytes(unit.repeat((megabytes * MIB) / unit.length));

/** 2 MB of words into a pipeline that cuts so. */
const into = (name: string, transform_config: object): Input => ({
  name,
  document: () => buildDocument('words.txt', filled('a lot of short words ', 2)),
  attack: (attacker, document) => attacker.index(document, { transform_config }),
});

/** Texts on which patterns and cutters go wrong. */
export const texts: Input[] = [
  indexed('digits, 2 MB', 'digits.txt', () => filled('1', 2)),
  indexed('digits with signs of telephone numbers, 2 MB', 'phones.txt', () => filled('+1 (2) 3-4.', 2)),
  indexed('letters, 5 MB', 'letters.txt', () => filled('a', 5)),
  indexed('brackets, 2 MB', 'brackets.txt', () => filled('([{<', 2)),
  indexed('brackets of links as Markdown, 2 MB', 'links.md', () => filled('[![', 2)),
  indexed('signs of quotation as Markdown, 1 MB', 'quotes.md', () => filled('> ', 1)),
  indexed('stars and underscores as Markdown, 1 MB', 'stars.md', () => filled('*a_', 1)),
  indexed('fences as Markdown, 1 MB', 'fences.md', () => filled('```\n~~~\n', 1)),
  indexed('table rows as Markdown, 2 MB', 'table.md', () =>
    bytes(`|a|b|\n|-|-|\n${'|c|d|\n'.repeat(340_000)}`),
  ),
  indexed('one row of many cells as Markdown, 1 MB', 'wide.md', () => filled('|a', 1)),
  indexed('newlines, 20 MB', 'newlines.txt', () => filled('\n', 20)),
  indexed('spaces, 5 MB', 'spaces.txt', () => filled(' ', 5)),
  indexed('at signs, 2 MB', 'mails.txt', () => filled('a@', 2)),
  indexed('dots, 2 MB', 'dots.txt', () => filled('a.', 2)),
  indexed('ends of sentences, 2 MB', 'sentences.txt', () => filled('a. ', 2)),
  indexed('combining marks, 2 MB', 'marks.txt', () => filled('\u0301\u0327', 1)),
  indexed('one line of Chinese, 2 MB', 'chinese.txt', () => filled('文', 1)),
  indexed('emoji, 2 MB', 'emoji.txt', () => filled('👩‍👩‍👧', 1)),
  indexed('chunks of one token, 2 MB', 'ones.txt', () => filled('word ', 2)),
  into('chunk_size 1 on 2 MB', { mode: 'auto', chunk_size: 1, chunk_overlap: 0 }),
  into('windows of one character on 2 MB', {
    mode: 'advanced',
    chunking_config: { mode: 'character', chunk_size: 1, chunk_overlap: 0 },
  }),
  indexed('rows of a table with open quotes, 5 MB', 'open.csv', () => filled('"a,b\n', 5)),
  indexed('columns of a table, 1 million', 'wide.csv', () => filled('a,', 2)),
];
