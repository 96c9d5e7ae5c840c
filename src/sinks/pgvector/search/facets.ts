import type { Metadata } from '#src/ports/index-types.ts';
import { type Scalar, toScalars } from '#src/search/filters.ts';
import { encodeText } from './storable.ts';

/** Metadata as filters compare it: all values of a key in a list, and its texts in lower case in another one. */
export type Facets = Record<string, Scalar[]>;

export const getValuesName = (key: string): string => `=${encodeText(key)}`;
export const getFoldedName = (key: string): string => `~${encodeText(key)}`;

export const encodeScalar = (value: Scalar): Scalar =>
  typeof value === 'string' ? encodeText(value) : value;

/** Lower-cases texts in the same way as the managed index. */
export const foldScalar = (value: Scalar): Scalar =>
  typeof value === 'string' ? encodeText(value.toLowerCase()) : value;

export function toFacets(metadata: Metadata): Facets {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) => {
      const values = toScalars(value);
      const texts = values.filter((each) => typeof each === 'string');
      return [
        [getValuesName(key), values.map(encodeScalar)],
        [getFoldedName(key), texts.map(foldScalar)],
      ];
    }),
  );
}
