import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { isDocument } from './adf/document.ts';

const DEEPEST = 3;
/** Members that hold the label of a user, option, status, version or issue. */
const MEMBERS = ['displayName', 'value', 'name', 'key'];

export const recordOf = (value: unknown): Record<string, unknown> | null => (isRecord(value) ? value : null);

/** Returns a text member. Returns an empty string if it is missing. */
export function textIn(value: unknown, member: string): string {
  const found = isRecord(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  return typeof found === 'string' ? found : '';
}

/**
 * Returns a field value as text. Returns an empty string for rich-text documents and for values without text.
 */
export function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return textsOf(value, depth).join(', ');
  if (!isRecord(value) || isDocument(value) || depth > DEEPEST) return '';
  const own = MEMBERS.map((member) => textIn(value, member)).find((text) => text !== '') ?? '';
  const child = Object.hasOwn(value, 'child') ? textOf(value.child, depth + 1) : '';
  return child === '' ? own : `${own} / ${child}`;
}

export function textsOf(value: unknown, depth = 0): string[] {
  if (!Array.isArray(value) || depth > DEEPEST) return [];
  return value.map((member) => textOf(member, depth + 1)).filter((text) => text !== '');
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
