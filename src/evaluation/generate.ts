import { askForTable } from './table-questions.ts';

/** A chunk from which questions are generated. */
export interface SourceChunk {
  documentId: string;
  text: string;
  headings: readonly string[];
}

export interface GeneratedQuestion {
  text: string;
  tag: 'heading' | 'definition' | 'table';
  /** Text that a retrieved chunk must contain. */
  passage: string;
  answer?: string;
}

const MAX_TERM_CHARACTERS = 60;
const MAX_SENTENCE_CHARACTERS = 400;
const MIN_PASSAGE_CHARACTERS = 20;
const MAX_PASSAGE_CHARACTERS = 300;
const MAX_QUESTIONS_PER_CHUNK = 20;

/**
 * Verbs that join a term and its definition, with the beginning of the question. The terms of a sentence such as
 * "A lease is a contract …" are asked for as "What is a lease?".
 */
const DEFINITIONS: readonly { sentence: RegExp; ask(term: string): string }[] = [
  { sentence: /^(.{3,60}?) (?:is|means|refers to) (?:an? |the |any )/i, ask: (term) => `What is ${term}?` },
  { sentence: /^(.{3,60}?) are (?:the |those |any |all )/i, ask: (term) => `What are ${term}?` },
  {
    sentence: /^(.{3,60}?) (?:ist|bezeichnet) (?:eine?r? |der |die |das )/i,
    ask: (term) => `Was ist ${term}?`,
  },
  {
    sentence: /^(.{3,60}?) (?:est|désigne) (?:une? |le |la |l’|l')/i,
    ask: (term) => `Qu’est-ce que ${term} ?`,
  },
  { sentence: /^(.{3,60}?) es (?:una? |el |la )/i, ask: (term) => `¿Qué es ${term}?` },
];

/** Words that refer to something else, so that a question about them makes no sense alone. */
const REFERRING =
  /^(it|this|that|these|those|there|he|she|they|we|you|i|which|what|who|here|dies\w*|das|es|er|sie|ce|c’|il|elle|ceci|cela|esto|esta|este|eso)\b/i;

/**
 * Generates questions from the headings, definitions and table rows of a chunk. `language` is the language of the
 * document, for chunks whose own language is unclear.
 */
export function generateFromChunk(chunk: SourceChunk, language?: string): GeneratedQuestion[] {
  const lines = chunk.text.split('\n').map((line) => line.trim());
  const found = [
    ...askForTable(lines, language),
    ...askForDefinitions(lines),
    ...askForHeading(chunk, lines),
  ];
  return found.slice(0, MAX_QUESTIONS_PER_CHUNK);
}

function* askForDefinitions(lines: readonly string[]): Generator<GeneratedQuestion> {
  for (const line of lines) {
    if (/^[#|>]/.test(line)) continue;
    const plain = line.replace(/^(?:[-*]|\d+\.)\s+/, '');
    for (const sentence of plain.split(/(?<=[.!?])\s+/)) {
      if (sentence.length > MAX_SENTENCE_CHARACTERS || sentence.endsWith('?')) continue;
      const question = askForDefinition(sentence);
      if (question) yield { text: question, tag: 'definition', passage: sentence, answer: sentence };
    }
  }
}

function askForDefinition(sentence: string): string | undefined {
  if (REFERRING.test(sentence)) return undefined;
  for (const { sentence: pattern, ask } of DEFINITIONS) {
    const term = pattern
      .exec(sentence)?.[1]
      ?.replace(/[*_“”"„]/g, '')
      .trim();
    if (!term || /[,;:()[\]]/.test(term) || term.split(' ').length > 6) continue;
    return ask(lowerFirst(term));
  }
  return undefined;
}

/** Lower-cases an article at the beginning of a term. Other words may be names, and stay as they are. */
const lowerFirst = (term: string): string =>
  term.replace(/^(An?|The|Eine?|Der|Die|Das|Une?|Le|La|Una?|El) /, (article) => article.toLowerCase());

/** Asks with the text of the innermost heading, which the first sentence below should answer. */
function* askForHeading({ headings }: SourceChunk, lines: readonly string[]): Generator<GeneratedQuestion> {
  const heading = headings.at(-1)?.trim();
  if (!heading || heading.length > 2 * MAX_TERM_CHARACTERS || heading.split(/\s+/).length < 2) return;
  const passage = lines.find((line) => line.length >= MIN_PASSAGE_CHARACTERS && !/^[#|]/.test(line));
  if (passage) yield { text: heading, tag: 'heading', passage: passage.slice(0, MAX_PASSAGE_CHARACTERS) };
}
