import type { Turn } from '../input.ts';

/** Text with an embedded conversation. `rest` is the text without it. */
export interface Transcript {
  turns: Turn[];
  rest: string;
  /** True if the conversation is between the tags of an element, such as `<chat_history>`. */
  isTagged: boolean;
}

const MAX_OPENING_TAGS = 200;
const OPENING_TAG = /<([A-Za-z][\w-]{2,40})>/g;
const CONVERSATION_ELEMENT =
  /^(?:(?:chat|conversation|message|dialog(?:ue)?)[_-]?(?:history|log|messages|context|transcript)?|messages|history|transcript)$/i;

/** Matches a line that names who speaks, such as `USER: …`, `**Assistant:** …` or `Last assistant message:`. */
const SPEAKER =
  /^[ \t]{0,8}(?:[#*[]{1,4}[ \t]?)?(?:last |latest )?(user|human|用户|ユーザー|사용자|benutzer|usuario|utilisateur|assistant|ai|bot|model|助手|アシスタント|어시스턴트|assistent|asistente|system)(?: message| input)?(?:[\]*]{1,3})?[ \t]?[:：][*]{0,2}[ \t]?/gimu;
const IS_ASSISTANT = /^(?:assistant|ai|bot|model|助手|アシスタント|어시스턴트|assistent|asistente)$/iu;
const ROLE_TAG = /<(user|human|assistant|ai|system)>/gi;
const MAX_ROLE_ELEMENTS = 2_000;
/** Quotation marks and fences around what a speaker says. */
const QUOTES = /^(?:"""|```)|(?:"""|```)$/g;

/** Finds the conversation that is embedded in a text. Returns `undefined` if there is none. */
export function findTranscript(text: string): Transcript | undefined {
  return findElement(text) ?? findSpeakers(text);
}

/** The last element counts, because examples come before the conversation. */
function findElement(text: string): Transcript | undefined {
  let found: Transcript | undefined;
  let seen = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(OPENING_TAG)) {
    seen += 1;
    if (seen > MAX_OPENING_TAGS) break;
    if (!CONVERSATION_ELEMENT.test(name)) continue;
    const closing = `</${name}>`;
    const end = text.indexOf(closing, index + tag.length);
    if (end < 0) continue;
    const inner = text.slice(index + tag.length, end);
    const rest = `${text.slice(0, index)}\n${text.slice(end + closing.length)}`;
    found = { turns: readTurns(inner), rest, isTagged: true };
  }
  return found;
}

function findSpeakers(text: string): Transcript | undefined {
  const lines = [...text.matchAll(SPEAKER)];
  const [first] = lines;
  if (!first) return undefined;
  const speakers = new Set(lines.map((line) => IS_ASSISTANT.test(line[1]!)));
  const before = text.slice(0, first.index);
  // One speaker alone may be a line of any text. It is a conversation if nothing comes before it.
  const isAlone = speakers.size === 1 && lines.length === 1;
  if (isAlone && before.trim() !== '') return undefined;
  const { spoken, after } = splitEnd(text.slice(first.index));
  return { turns: readTurns(spoken), rest: `${before}\n${after}`, isTagged: false };
}

/** Splits the last paragraph from a conversation that ends with an instruction. */
function splitEnd(spoken: string): { spoken: string; after: string } {
  const at = spoken.trimEnd().lastIndexOf('\n\n');
  const last = at < 0 ? '' : spoken.slice(at).trim();
  if (last === '' || last.search(SPEAKER) === 0) return { spoken, after: '' };
  return { spoken: spoken.slice(0, at), after: last };
}

function readTurns(text: string): Turn[] {
  const elements = readRoleElements(text);
  if (elements.length > 0) return elements;
  const lines = [...text.matchAll(SPEAKER)];
  if (lines.length === 0) return toTurn('user', text);
  return lines.flatMap((line, index) => {
    const end = lines[index + 1]?.index ?? text.length;
    return toTurn(line[1]!, text.slice(line.index + line[0].length, end));
  });
}

/** Reads messages that are each between the tags of an element with the name of the role. */
function readRoleElements(text: string): Turn[] {
  const turns: Turn[] = [];
  let from = 0;
  for (const { 0: tag, 1: role = '', index } of text.matchAll(ROLE_TAG)) {
    if (index < from) continue;
    const begin = index + tag.length;
    const end = text.indexOf(`</${role}>`, begin);
    if (end < 0 || turns.length === MAX_ROLE_ELEMENTS) break;
    turns.push(...toTurn(role, text.slice(begin, end)));
    from = end;
  }
  return turns;
}

function toTurn(speaker: string, said: string): Turn[] {
  const text = said.trim().replace(QUOTES, '').trim();
  if (text === '') return [];
  if (/^system$/i.test(speaker)) return [{ role: 'system', text }];
  return [{ role: IS_ASSISTANT.test(speaker) ? 'assistant' : 'user', text }];
}
