export interface Citation {
  /** One-based number of the page that contains the source of the value. */
  page: number;
  matching_text: string;
  bounding_boxes?: { x: number; y: number; w: number; h: number }[];
  page_dimensions?: { width: number; height: number };
}

/** Sources and confidence of one extracted value. */
export interface Evidence {
  citation?: Citation[];
  confidence?: number;
  extraction_confidence?: number;
  parsing_confidence?: number;
  reasoning?: string;
}

const isList = (value: unknown) => Array.isArray(value);

/**
 * Returns true if the metadata describes one extracted value and not a group of values. Field types are
 * checked too, because a group may have fields named `citation` or `confidence`.
 */
export function isEvidence(metadata: unknown): metadata is Evidence {
  if (typeof metadata !== 'object' || metadata === null || isList(metadata)) return false;
  const { citation, confidence } = metadata as Record<string, unknown>;
  return isList(citation) || typeof confidence === 'number';
}

/** Returns an own property of an object, or `undefined`. Inherited properties are ignored. */
export const getMember = (root: unknown, name: string): unknown =>
  typeof root === 'object' && root !== null && Object.hasOwn(root, name)
    ? (root as Record<string, unknown>)[name]
    : undefined;

/** Appends a property name to a JSON pointer and escapes its special characters. */
export const appendPointer = (pointer: string, name: string) =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the value at a JSON pointer, or `undefined` if the path does not exist. */
export function findAtPointer(root: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>(
    (node, name) => getMember(node, name.replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  );
}
