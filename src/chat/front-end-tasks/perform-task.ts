import { buildStandaloneQuestion, listContentWords } from '#src/builtin/follow-up.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { listQuestions, type Turn } from '../input.ts';
import type { FrontEndTask } from '../model-request.ts';

/** Name of the built-in method, which answers report as the model. */
export const BUILTIN_TASKS = 'builtin/front-end-tasks-1';

const MAX_TITLE_WORDS = 5;
const MAX_TITLE_CHARACTERS = 50;
const MAX_TAGS = 3;
const MAX_TAG_CHARACTERS = 30;
const MAX_SUMMARY_TURNS = 8;
const MAX_SUMMARY_TURN_CHARACTERS = 300;
const MAX_QUERY_CHARACTERS = 500;
/** Maximum number of characters of each message from which words are counted. */
const MAX_COUNTED_CHARACTERS = 20_000;
const CITATION_MARKS = /\s?\[\d{1,3}(?:[,;–-]\d{1,3})*\]/g;

/**
 * Performs a task about a conversation without a language model. Titles, tags and queries consist of the words of the
 * conversation. Follow-up questions cannot be made of words, so their list is empty.
 */
export function performTask({ kind, conversation, shape }: FrontEndTask): string {
  const values = {
    title: () => buildTitle(conversation),
    tags: () => listTags(conversation),
    follow_ups: () => [],
    queries: () => [buildQuery(conversation)].filter((query) => query !== ''),
    question: () => buildQuery(conversation),
    summary: () => summarize(conversation),
    other: () => '',
  } satisfies Record<FrontEndTask['kind'], () => string | string[]>;
  if (!shape) return asText(values[kind]());
  const members = Object.entries(shape);
  const filled = members.map(([name, type]) => {
    const named = members.length === 1 ? kind : findKind(name);
    if (/lang/i.test(name)) return [name, nameLanguage(conversation)];
    if (type === 'object') return [name, {}];
    const value = named ? values[named]() : '';
    return [name, type === 'list' ? [value].flat().filter((each) => each !== '') : asText(value)];
  });
  return JSON.stringify(Object.fromEntries(filled));
}

const asText = (value: string | string[]): string => (typeof value === 'string' ? value : value.join(', '));

function findKind(name: string): FrontEndTask['kind'] | undefined {
  if (/title|name|topic/i.test(name)) return 'title';
  if (/tag|label|keyword|categor/i.test(name)) return 'tags';
  if (/quer/i.test(name)) return 'queries';
  if (/question/i.test(name)) return 'question';
  if (/summary|description/i.test(name)) return 'summary';
  return undefined;
}

function buildTitle(conversation: readonly Turn[]): string {
  const [first = ''] = listQuestions(conversation);
  const question = first.slice(0, MAX_COUNTED_CHARACTERS);
  const words = listContentWords(question).slice(0, MAX_TITLE_WORDS);
  const title = words.length > 1 ? words.join(' ') : question.replace(/[\p{P}\s]+/gu, ' ').trim();
  const cut = cutAtWord(title, MAX_TITLE_CHARACTERS);
  return cut === '' ? cut : `${cut[0]!.toUpperCase()}${cut.slice(1)}`;
}

function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const at = text.lastIndexOf(' ', most);
  return text.slice(0, at > 0 ? at : most);
}

/** Returns the words that occur most often, longer ones first among equals. */
function listTags(conversation: readonly Turn[]): string[] {
  const counts = new Map<string, { word: string; count: number }>();
  for (const { text } of conversation) {
    for (const word of listContentWords(text.slice(0, MAX_COUNTED_CHARACTERS).replace(CITATION_MARKS, ''))) {
      if (/^\p{N}*$/u.test(word) || word.length < 2 || word.length > MAX_TAG_CHARACTERS) continue;
      const key = word.toLowerCase();
      const known = counts.get(key) ?? { word, count: 0 };
      counts.set(key, { ...known, count: known.count + 1 });
    }
  }
  return [...counts.values()]
    .toSorted((a, b) => b.count - a.count || b.word.length - a.word.length)
    .slice(0, MAX_TAGS)
    .map(({ word }) => word);
}

const buildQuery = (conversation: readonly Turn[]): string =>
  buildStandaloneQuestion(listQuestions(conversation)).slice(0, MAX_QUERY_CHARACTERS);

function summarize(conversation: readonly Turn[]): string {
  return conversation
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .slice(-MAX_SUMMARY_TURNS)
    .map(({ text }) => cutAtWord(text.replace(CITATION_MARKS, '').trim(), MAX_SUMMARY_TURN_CHARACTERS))
    .join('\n');
}

function nameLanguage(conversation: readonly Turn[]): string {
  const code = detectLanguage(listQuestions(conversation).join('\n').slice(0, MAX_COUNTED_CHARACTERS));
  return new Intl.DisplayNames('en', { type: 'language' }).of(code ?? 'en') ?? 'English';
}
