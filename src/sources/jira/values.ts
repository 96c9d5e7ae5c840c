import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { isDocument } from './adf/document.ts';

const DEEPEST = 3;
/**
 * Fields of a Jira value that may contain a label, for example that of a user, option, status, version or
 * issue.
 */
const MEMBERS = ['displayName', 'value', 'name', 'key'];

export const toRecord = (value: unknown): Record<string, unknown> | null => (isRecord(value) ? value : null);

export function getText(value: unknown, member: string): string {
  const found = isRecord(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  return typeof found === 'string' ? found : '';
}

/**
 * Returns the value of a Jira field as plain text. Returns an empty string for rich-text documents and for
 * values without text.
 */
export function toText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return toTexts(value, depth).join(', ');
  if (!isRecord(value) || isDocument(value) || depth > DEEPEST) return '';
  const own = MEMBERS.map((member) => getText(value, member)).find((text) => text !== '') ?? '';
  const child = Object.hasOwn(value, 'child') ? toText(value.child, depth + 1) : '';
  return child === '' ? own : `${own} / ${child}`;
}

export function toTexts(value: unknown, depth = 0): string[] {
  if (!Array.isArray(value) || depth > DEEPEST) return [];
  return value.map((member) => toText(member, depth + 1)).filter((text) => text !== '');
}

export const toSingleLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
