import type { Turn } from '../input.ts';
import type { FrontEndTask, ModelRequest } from '../model-request.ts';
import { getForcedTool } from '../tools.ts';
import { findTemplate, readShape } from './json-shape.ts';
import { findTranscript, type Transcript } from './transcript.ts';
import { asksAboutOwnConversation, classifyPrompt, isWrittenByProgram } from './vocabulary.ts';

/**
 * Maximum number of characters of a prompt without the conversation in it. Prompts of front ends are much shorter.
 */
const MAX_PROMPT_CHARACTERS = 12_000;
const MAX_OWN_MESSAGE_CHARACTERS = 1_000;
/** Maximum number of characters of all messages of a task. */
const MAX_TASK_CHARACTERS = 1_000_000;
/** Matches the words that LangChain and LobeChat write around a question that a model has to rewrite. */
const QUESTION_FRAME =
  /^(?:follow[-\s]?up (?:input|question)|question)\s?:\s{0,9}|[,\s]{0,9}(?:it'?s )?stand-?alone (?:question|query)\s?:?$/gi;

type Asked = Pick<ModelRequest, 'turns' | 'tools' | 'toolChoice' | 'format'>;

/**
 * Recognises a prompt of a chat front end that is about the conversation and not about the documents: its title, tags,
 * follow-up questions, search queries or summary. Returns `undefined` for a question.
 */
export function recogniseTask(asked: Asked): FrontEndTask | undefined {
  const { turns } = asked;
  const last = turns.findLast(({ role }) => role !== 'system');
  if (last?.role !== 'user') return undefined;
  if (turns.reduce((sum, { text }) => sum + text.length, 0) > MAX_TASK_CHARACTERS) return undefined;
  const task = recogniseEmbedded(turns, last) ?? recogniseAppended(turns, last);
  if (!task) return undefined;
  const { prompt, ...found } = task;
  const shape = readRequestedShape(asked) ?? findTemplate(prompt);
  return { ...found, ...(shape && { shape }) };
}

type Recognised = Pick<FrontEndTask, 'kind' | 'conversation'> & { prompt: string };

/** Recognises a prompt that contains the conversation. */
function recogniseEmbedded(turns: readonly Turn[], last: Turn): Recognised | undefined {
  const system = turns.filter(({ role }) => role === 'system').map(({ text }) => text);
  const own = findTranscript(last.text);
  if (own) return classifyEmbedded([...system, own.rest].join('\n').trim(), own);
  const before = system.map(findTranscript).find((each) => each?.isTagged);
  if (!before) return undefined;
  const question = { ...last, text: last.text.trim().replace(QUESTION_FRAME, '') };
  return classifyEmbedded(`${before.rest}\n${last.text}`, {
    ...before,
    turns: [...before.turns, question],
  });
}

function classifyEmbedded(prompt: string, { turns, isTagged }: Transcript): Recognised | undefined {
  if (prompt.length > MAX_PROMPT_CHARACTERS || prompt === '') return undefined;
  const kind = classifyPrompt(prompt);
  if (kind && isWrittenByProgram(prompt)) return { kind, conversation: turns, prompt };
  // A prompt of an unknown kind that embeds a conversation and wants JSON comes from a program too.
  if (isTagged && findTemplate(prompt)) return { kind: 'other', conversation: turns, prompt };
  return undefined;
}

/** Recognises a prompt that follows the messages of the conversation. */
function recogniseAppended(turns: readonly Turn[], last: Turn): Recognised | undefined {
  const conversation = turns.slice(0, turns.indexOf(last)).filter(({ role }) => role !== 'system');
  if (!conversation.some(({ role }) => role === 'user')) return undefined;
  if (last.text.length > MAX_OWN_MESSAGE_CHARACTERS) return undefined;
  const kind = classifyPrompt(last.text);
  if (!kind || kind === 'question' || !asksAboutOwnConversation(last.text, kind)) return undefined;
  return { kind, conversation, prompt: last.text };
}

/** Returns the members of the JSON that the format or the forced tool of a request asks for. */
function readRequestedShape(asked: Asked): FrontEndTask['shape'] {
  const name = getForcedTool(asked);
  const tool = name === undefined ? undefined : asked.tools?.find((each) => each.name === name);
  return readShape(tool?.parameters) ?? readShape(asked.format?.schema);
}
