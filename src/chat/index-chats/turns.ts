import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type IndexChat, indexChats, indexChatTurns } from '#src/db/schema/index.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { answerWithoutSession } from '../sessions/chat.ts';
import { toSessionName } from '../sessions/messages.ts';
import { readChunks } from '../stream/read-chunks.ts';
import { getIndexChat, requireIndexes } from './chats.ts';
import { type ChatEvent, toChatEvents, toStoredEvents } from './events.ts';

/** Maximum number of questions of one conversation. All of them are returned together. */
export const MAX_TURNS = 200;
/** Maximum number of earlier questions and answers, and of their characters, that a language model receives. */
const MAX_EARLIER_TURNS = 10;
const MAX_EARLIER_CHARACTERS = 60_000;

/** Returns the SQL condition that none of the pipelines in a JSON list was deleted or is being deleted. */
const areAlive = (ids: SQL): SQL =>
  sql`not exists (select 1 from json_each(${ids}) as named where not exists (
    select 1 from pipelines where id = named.value and status <> 'DELETING'))`;

/** Selects the turns of a conversation, without those that may quote a deleted index. */
const whereReadable = ({ id }: IndexChat): SQL | undefined =>
  and(eq(indexChatTurns.chatId, id), areAlive(sql`${indexChatTurns.indexIds}`));

/** Returns all events of a conversation in order. */
export async function listChatEvents(ctx: Context, chat: IndexChat): Promise<ChatEvent[]> {
  const rows = await ctx.db
    .select({ events: indexChatTurns.events })
    .from(indexChatTurns)
    .where(whereReadable(chat))
    .orderBy(asc(indexChatTurns.id))
    .limit(MAX_TURNS);
  return rows.flatMap(({ events }) => events as unknown as ChatEvent[]);
}

export interface AskedTurn {
  prompt: string;
  index_ids: readonly string[];
}

export interface BegunTurn {
  /** Events of the answer while it is generated. `undefined` is a heartbeat. */
  events: AsyncGenerator<ChatEvent | undefined, void>;
  /** Stream that contains the answer. Cancelling it stops the answer. */
  source: ReadableStream<Uint8Array>;
}

/**
 * Answers a question of a conversation. Question and answer are stored when the answer ends, also if the reader
 * disconnects. Throws `Conflict` if the conversation is bound to other indexes.
 */
export async function beginTurn(
  ctx: TenantContext,
  chatId: string,
  asked: AskedTurn,
  requestId: string,
): Promise<BegunTurn> {
  const chat = await getIndexChat(ctx, chatId);
  const earlier = await listEarlierTurns(ctx, chat);
  const turnCount = await ctx.db.$count(indexChatTurns, eq(indexChatTurns.chatId, chat.id));
  if (turnCount >= MAX_TURNS) {
    throw new Conflict(`A session has at most ${MAX_TURNS} questions. Create another session.`);
  }
  const indexIds = await chooseIndexes(ctx, chat, asked.index_ids, turnCount > 0);
  const messages = [
    ...earlier.flatMap(({ events }) => toMessages(events)),
    { role: 'user' as const, content: asked.prompt },
  ];
  const [only, ...others] = indexIds;
  const corpus = others.length === 0 ? { pipeline_id: only! } : { pipeline_ids: indexIds };
  const options = { requestId, generation: {}, optionsAt: 'prompt' };
  const { stream } = await answerWithoutSession(ctx, corpus, { messages }, options);
  // The answer may repeat earlier answers, so it is deleted together with the indexes that those quote.
  const quotedIds = [...new Set([...indexIds, ...earlier.flatMap((each) => each.indexIds)])];
  const turn = { id: newId(), indexIds, quotedIds, prompt: asked.prompt, begunAt: Date.now() };
  return { events: recordEvents(ctx, chat, turn, stream), source: stream };
}

/** Returns the indexes that a question searches, and binds a new conversation to other indexes if it asks for them. */
async function chooseIndexes(
  ctx: TenantContext,
  chat: IndexChat,
  named: readonly string[],
  isLocked: boolean,
): Promise<string[]> {
  const wanted = named.length > 0 ? named : (chat.indexIds ?? []);
  if (wanted.length === 0) throw Invalid.field(['index_ids'], 'must name at least one index', 'too_short');
  const ids = await requireIndexes(ctx, chat.projectId, wanted);
  const bound = chat.indexIds;
  if (!bound || (bound.length === ids.length && bound.every((id) => ids.includes(id)))) return ids;
  if (isLocked) {
    throw new Conflict(
      `Session ${chat.id} is bound to the indexes ${bound.join(', ')} since its first question. ` +
        'Create another session for other indexes.',
    );
  }
  await ctx.db.update(indexChats).set({ indexIds: ids }).where(eq(indexChats.id, chat.id));
  return ids;
}

interface EarlierTurn {
  events: ChatEvent[];
  /** Indexes that the answer may quote. */
  indexIds: string[];
}

async function listEarlierTurns(ctx: Context, chat: IndexChat): Promise<EarlierTurn[]> {
  const rows = await ctx.db
    .select({ events: indexChatTurns.events, indexIds: indexChatTurns.indexIds })
    .from(indexChatTurns)
    .where(whereReadable(chat))
    .orderBy(desc(indexChatTurns.id))
    .limit(MAX_EARLIER_TURNS);
  let left = MAX_EARLIER_CHARACTERS;
  const kept = rows
    .map(({ events, indexIds }) => ({ events: events as unknown as ChatEvent[], indexIds }))
    .filter(({ events }) => {
      left -= toMessages(events).reduce((sum, { content }) => sum + content.length, 0);
      return left >= 0;
    });
  return kept.toReversed();
}

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

/** Returns the question and the answer of a turn as messages. */
function toMessages(events: readonly ChatEvent[]): Message[] {
  return events.flatMap((event): Message[] => {
    if (event.type === 'user_input') return [{ role: 'user', content: event.content }];
    return event.type === 'text' ? [{ role: 'assistant', content: event.content }] : [];
  });
}

interface Turn {
  id: string;
  /** Indexes that the question searches. */
  indexIds: string[];
  /** Indexes that the answer may quote. */
  quotedIds: string[];
  prompt: string;
  begunAt: number;
}

async function* recordEvents(
  ctx: TenantContext,
  chat: IndexChat,
  turn: Turn,
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ChatEvent | undefined, void> {
  const events: ChatEvent[] = [];
  let isStored = false;
  try {
    for await (const event of toChatEvents(readChunks(stream), turn)) {
      if (event) events.push(event);
      if (event?.type === 'stop') {
        isStored = true;
        // The turn is stored before its last event is sent, so that a client that reads the session finds it.
        await storeTurn(ctx, chat, turn, events);
      }
      yield event;
    }
  } finally {
    if (!isStored) ctx.defer(storeTurn(ctx, chat, turn, closeEvents(events, turn)));
  }
}

/** Adds the text so far and the end to the events of an answer whose reader has disconnected. */
function closeEvents(events: readonly ChatEvent[], { begunAt }: Turn): ChatEvent[] {
  const content = events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('');
  const usage = {
    duration_ms: Date.now() - begunAt,
    total_input_tokens: null,
    total_output_tokens: null,
    turns: 1,
  };
  const error = 'The client disconnected before the end of the answer.';
  return [
    ...events,
    ...(content === '' ? [] : [{ type: 'text' as const, content, citations: [] }]),
    { type: 'stop', is_error: true, error, usage },
  ];
}

/** Stores a turn, unless its conversation or one of its indexes was deleted in the meantime. */
async function storeTurn(
  ctx: Context,
  chat: IndexChat,
  { id, indexIds, quotedIds, prompt }: Turn,
  events: readonly ChatEvent[],
): Promise<void> {
  const row = {
    id,
    chatId: chat.id,
    projectId: chat.projectId,
    indexIds: quotedIds,
    events: toStoredEvents(events) as unknown as Record<string, unknown>[],
    createdAt: new Date(),
  };
  const isKept = sql`exists (select 1 from index_chats where id = ${chat.id})
    and ${areAlive(sql`${JSON.stringify(quotedIds)}`)}`;
  const stop = events.at(-1);
  const lastRun =
    stop?.type === 'stop'
      ? { ...stop.usage, is_error: stop.is_error, error: stop.error, index_ids: indexIds }
      : null;
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(indexChatTurns, row, isKept)),
    ctx.db
      .update(indexChats)
      .set({ lastRun, updatedAt: new Date(), title: chat.title ?? toSessionName(prompt) })
      .where(and(eq(indexChats.id, chat.id), sql`exists (select 1 from index_chat_turns where id = ${id})`)),
  ]);
}
