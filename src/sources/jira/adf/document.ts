import { isRecord } from '#src/lib/schema/zod-walk.ts';

// Reads nodes of the Atlassian Document Format, a tree of typed nodes with texts as leaves. Malformed fields
// are treated as missing.

export interface AdfNode {
  type: string;
  text: string;
  attrs: Record<string, unknown>;
  marks: AdfNode[];
  content: unknown[];
}

export const isDocument = (value: unknown): boolean =>
  isRecord(value) && value.type === 'doc' && Array.isArray(value.content);

export function toAdfNode(value: unknown): AdfNode {
  const { type, text, attrs, marks, content } = isRecord(value) ? value : {};
  return {
    type: typeof type === 'string' ? type : '',
    text: typeof text === 'string' ? text : '',
    attrs: isRecord(attrs) ? attrs : {},
    marks: Array.isArray(marks)
      ? marks.map((mark) => toAdfNode({ ...toRecord(mark), marks: [], content: [] }))
      : [],
    content: Array.isArray(content) ? content : [],
  };
}

const toRecord = (value: unknown) => (isRecord(value) ? value : {});

export function getAttribute({ attrs }: AdfNode, name: string): string {
  const value = Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
