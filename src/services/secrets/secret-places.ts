import { z } from 'zod';
import { isDescribing, isSecret } from '#src/lib/schema/secret-schema.ts';
import { candidates, memberSchemas } from '#src/lib/schema/zod-walk.ts';
import { isCredential, looksSecret, namesAddress } from '#src/lib/secrets/secret-names.ts';

/** What clients see in place of a secret. */
export const MASK = '********';

/** One position of a value: the schemas that may describe it, and whether it holds a secret. */
export interface Place {
  schemas: z.ZodType[];
  isSecret: boolean;
  /** A map or list whose every text is secret. */
  isSecretMap: boolean;
  /** Inside a member of free-form data that is named like a credential. */
  underSecretName: boolean;
  /** Inside a member that is named like an address: its texts are URLs, with a scheme or without. */
  isAddress: boolean;
  /** Inside a description of data: the names of its members say nothing. */
  isDescription: boolean;
}

type Names = Pick<Place, 'underSecretName' | 'isAddress' | 'isDescription'>;

export function placeOf(schema: z.ZodType, value: unknown): Place {
  const names = { underSecretName: false, isAddress: false, isDescription: false };
  return classify(candidates(schema, value), value, names);
}

export function stepInto(place: Place, key: string | number, member: unknown): Place {
  const schemas = memberSchemas(place.schemas, key, member);
  const isDescription = place.isDescription || schemas.some(isDescribing);
  const name = isDescription ? '' : String(key);
  return classify(schemas, member, {
    underSecretName: place.underSecretName || (isFreeForm(schemas) && looksSecret(name)),
    isAddress: place.isAddress || namesAddress(name),
    isDescription,
  });
}

/** Whether another value at the same position would be a secret. */
export function isSecretHere(place: Place, value: unknown): boolean {
  return classify(place.schemas, value, place).isSecret;
}

function classify(schemas: z.ZodType[], value: unknown, names: Names): Place {
  const { underSecretName, isAddress, isDescription } = names;
  const container = typeof value === 'object' && value !== null;
  const credential = typeof value === 'string' && isFreeForm(schemas) && isCredential(value);
  return {
    schemas,
    isSecret: !container && (underSecretName || credential || schemas.some(isSecret)),
    isSecretMap: container && (underSecretName || schemas.some(holdsOnlySecrets)),
    underSecretName,
    isAddress,
    isDescription,
  };
}

function isFreeForm(schemas: z.ZodType[]): boolean {
  return (
    schemas.length === 0 || schemas.some((each) => each instanceof z.ZodUnknown || each instanceof z.ZodAny)
  );
}

function holdsOnlySecrets(schema: z.ZodType): boolean {
  const inner =
    schema instanceof z.ZodRecord
      ? schema.valueType
      : schema instanceof z.ZodArray
        ? schema.element
        : undefined;
  return inner !== undefined && candidates(inner as z.ZodType, undefined).some(isSecret);
}
