import type { Document } from './sets.ts';

const DEPARTMENTS = ['research', 'sales', 'legal', 'operations', 'finance', 'support', 'design'];
const AUTHORS = ['A. Meyer', 'J. Okafor', 'L. Rossi', 'M. Tanaka', 'P. Novak'];

/** The ways in which documents of a set can carry metadata. */
export const METADATA = {
  /** The title, as the service knows one. */
  title: ({ title }: Document) => (title ? { title } : {}),
  /** The title under a name that the service gives no meaning: what custom metadata do for a search. */
  custom: ({ title }: Document) => (title ? { paper: title } : {}),
  /** Labels that tell nothing of the text: what custom metadata cost a search. */
  labels: ({ _id, title }: Document) => {
    const number = [..._id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7);
    return {
      ...(title && { title }),
      department: DEPARTMENTS[number % DEPARTMENTS.length]!,
      author: AUTHORS[number % AUTHORS.length]!,
      year: 2000 + (number % 25),
      status: number % 3 ? 'approved' : 'draft',
      project: { code: `PX-${number}`, region: number % 2 ? 'north' : 'south' },
    };
  },
} satisfies Record<string, (document: Document) => Record<string, unknown>>;

export type MetadataKind = keyof typeof METADATA;

export function metadataKind(name: string): MetadataKind {
  if (Object.hasOwn(METADATA, name)) return name as MetadataKind;
  throw new Error(`--metadata is one of ${Object.keys(METADATA).join(', ')}`);
}
