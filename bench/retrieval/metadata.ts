import type { Document } from './sets.ts';

const DEPARTMENTS = ['research', 'sales', 'legal', 'operations', 'finance', 'support', 'design'];
const AUTHORS = ['A. Meyer', 'J. Okafor', 'L. Rossi', 'M. Tanaka', 'P. Novak'];

/** Kinds of metadata that the documents of a set can have. */
export const METADATA = {
  /** The title under the name that the service knows. */
  title: ({ title }: Document) => (title ? { title } : {}),
  /** The title under a name without meaning for the service. It shows how custom metadata help a search. */
  custom: ({ title }: Document) => (title ? { paper: title } : {}),
  /** Labels that are unrelated to the text. They show how custom metadata harm a search. */
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

export function parseMetadataKind(name: string): MetadataKind {
  if (Object.hasOwn(METADATA, name)) return name as MetadataKind;
  throw new Error(`--metadata must be one of ${Object.keys(METADATA).join(', ')}`);
}
