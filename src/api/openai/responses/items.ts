import type { StoredResponse } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import type { ResponseObject, ResponseRequest } from './schemas.ts';

type Item = Exclude<ResponseRequest['input'], string>[number];

/** Maximum number of items of a conversation that is continued. */
const MAX_ITEMS = 2_000;

/** Returns the items that a request itself contains. Items of earlier responses are not among them. */
export const listOwnItems = ({ input }: ResponseRequest): Item[] =>
  typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;

/** Returns the items of a stored conversation, with the output of its last response. */
export function listEarlierItems({ input, response }: StoredResponse): Item[] {
  const items = [...input, ...(response as unknown as ResponseObject).output] as Item[];
  if (items.length <= MAX_ITEMS) return items;
  throw Invalid.field(
    ['previous_response_id'],
    `the conversation has more than ${MAX_ITEMS} items: begin a new one`,
  );
}

/** Pictures that were sent as data: URLs are not stored, because they are larger than a row may be. */
function toStoredPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const { type, image_url: given } = part as Record<string, unknown>;
  const url = typeof given === 'object' && given !== null ? (given as { url?: unknown }).url : given;
  return type === 'input_image' && typeof url === 'string' && /^data:/i.test(url)
    ? { type: 'input_text', text: 'A picture that was not stored.' }
    : part;
}

/** Returns items as they are stored, each with an id and its type. Texts become parts, as the protocol returns them. */
export function toStoredItems(items: readonly Item[], responseId: string): Record<string, unknown>[] {
  return items.map((item, index) => {
    const { id, ...more } = item as Record<string, unknown>;
    // Items of other types may have a role, too.
    const isMessage = 'role' in item && (more.type === undefined || more.type === 'message');
    const type = isMessage ? 'message' : more.type;
    const stored = { ...more, type, id: typeof id === 'string' ? id : `item_${responseId}_${index}` };
    if (Array.isArray(more.content)) return { ...stored, content: more.content.map(toStoredPart) };
    if (!isMessage || typeof more.content !== 'string') return stored;
    const kind = more.role === 'assistant' ? 'output_text' : 'input_text';
    return { ...stored, content: [{ type: kind, text: more.content }] };
  });
}
