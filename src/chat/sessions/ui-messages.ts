import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import type { ChatMessage, ChatSession } from '#src/db/schema/index.ts';
import { type Rating, readRatings } from '#src/services/traces/feedback.ts';
import type { Annotation } from './annotations.ts';
import { countMessages, selectMessages } from './messages.ts';

/** Stored message in the form that browser chat components use. */
export interface StoredUiMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata: Record<string, unknown>;
  parts: { type: string; [member: string]: unknown }[];
}

/** Stored source of an answer. Fields have fallback values, because earlier releases stored fewer of them. */
const node = z.looseObject({
  id: z.string(),
  title: z.string().catch(''),
  document_id: z.string().nullable().catch(null),
  page_label: z.string().nullable().catch(null),
  text: z.string().optional().catch(undefined),
});
const sources = z.object({ nodes: z.array(node) });
const citations = z.object({ citations: z.array(z.looseObject({ citation: z.number() })) });
const metadata = z.record(z.string(), z.unknown());
const status = z.object({ status: z.string() });

/**
 * Returns the newest messages in chronological order, optionally only those before a position. `nextBefore`
 * is the position from which earlier messages can be read, or null if there are none.
 */
export async function listUiMessages(
  ctx: Context,
  session: ChatSession,
  { limit, before }: { limit: number; before: number | undefined },
) {
  const [rows, total, ratings] = await Promise.all([
    selectMessages(ctx, session.id, before).limit(limit + 1),
    countMessages(ctx, session.id),
    readRatings(ctx, session.id),
  ]);
  const page = rows.slice(0, limit).toReversed();
  const nextBefore = rows.length > limit ? page[0]!.position : null;
  const messages = page.map((row) => toUiMessage(row, session, ratings.get(row.id)));
  return { messages, nextBefore, total };
}

function toUiMessage(
  message: ChatMessage,
  session: ChatSession,
  rating: Rating | undefined,
): StoredUiMessage {
  const { id, clientId, role, position, createdAt } = message;
  const text = { type: 'text', text: message.content ?? '' };
  const common = { index: position, created_at: createdAt.toISOString() };
  if (role !== 'assistant') {
    const shown = role === 'system' ? 'system' : 'user';
    return { id: clientId ?? id, role: shown, metadata: common, parts: [text] };
  }
  const annotations = message.annotations ?? [];
  const ended = readAnnotation(annotations, 'status', status)?.status ?? 'complete';
  const cited = readAnnotation(annotations, 'citations', citations);
  return {
    id,
    role: 'assistant',
    metadata: {
      complete: ended === 'complete',
      message_id: id,
      ...readAnnotation(annotations, 'metadata', metadata),
      status: ended,
      ...(rating && { rating }),
      ...common,
    },
    parts: [
      ...(readAnnotation(annotations, 'sources', sources)?.nodes ?? []).map((each, index) =>
        toSourcePart(each, index, session),
      ),
      text,
      ...(cited ? [{ type: 'data-citations', data: cited }] : []),
    ],
  };
}

function toSourcePart(
  { id, title, cited, ...sluice }: z.output<typeof node>,
  index: number,
  session: ChatSession,
) {
  const page = sluice.page_label === null ? null : Number(sluice.page_label) - 1;
  const { text = '' } = sluice;
  return {
    type: 'source-document',
    sourceId: id,
    mediaType: 'text/plain',
    title,
    filename: title,
    providerMetadata: {
      sluice: {
        citation: index + 1,
        node_id: id,
        pipeline_id: session.pipelineId,
        file_id: null,
        start_page_index: page,
        end_page_index: page,
        ...(sluice.text === undefined && { text_cut: true }),
        ...sluice,
        text,
      },
    },
  };
}

/**
 * Returns the last annotation of a kind from a stored message. Returns `undefined` if there is none or it
 * cannot be parsed.
 */
function readAnnotation<Data>(
  annotations: readonly Annotation[],
  kind: string,
  schema: z.ZodType<Data>,
): Data | undefined {
  const found = annotations.findLast(({ type }) => type === kind);
  if (!found) return undefined;
  try {
    return schema.parse(JSON.parse(found.data));
  } catch {
    return undefined;
  }
}
